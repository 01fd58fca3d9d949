import { earnings } from '../shared/earnings-texts.ts'
import { extendTexts } from '../shared/texts.ts'
import { accounts } from './texts/accounts.ts'
import { actions } from './texts/actions.ts'
import { events } from './texts/events.ts'
import { grid } from './texts/grid.ts'
import { latency } from './texts/latency.ts'
import { parameters } from './texts/parameters.ts'
import { rooms } from './texts/rooms.ts'
import { screens } from './texts/screens.ts'
import { settings } from './texts/settings.ts'
import { ticket } from './texts/ticket.ts'
import { verdicts } from './texts/verdicts.ts'
import { work } from './texts/work.ts'

export const consoleTexts = {
  ...screens,
  ...actions,
  ...accounts,
  ...work,
  ...verdicts,
  ...events,
  ...ticket,
  ...rooms,
  ...grid,
  ...earnings,
  ...latency,
  ...parameters,
  ...settings,
} as const

/** The translator of the console. */
export const t = extendTexts(consoleTexts)
