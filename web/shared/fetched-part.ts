import { type Component, defineAsyncComponent } from 'vue'
import MissedPart from './parts/missed-part.vue'

/**
 * A part of a screen that is fetched when it is shown for the first time. Where that fails, most often because the
 * service is of another release by now, it says so; the screen around it goes on.
 */
export const fetchedPart = <T extends Component>(fetched: () => Promise<{ default: T }>) =>
  defineAsyncComponent({ loader: fetched, errorComponent: MissedPart })
