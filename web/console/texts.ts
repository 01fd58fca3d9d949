import { extendTexts } from '../shared/texts/index.ts'
import { actions } from './texts/actions.ts'
import { screens } from './texts/screens.ts'

export const consoleTexts = { ...screens, ...actions } as const

/** The translator of the console. */
export const t = extendTexts(consoleTexts)
