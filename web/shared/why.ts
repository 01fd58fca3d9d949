import { prefs } from './prefs.ts'
import type { PositionRow } from './wire.ts'

/** What the service thinks of a holding, in the reader's language; empty where it thinks nothing, or is older. */
export const whyText = ({ why_zh: zh = '', why_en: en = '' }: Partial<PositionRow>): string =>
  prefs.language === 'en' ? en : zh

/** What somebody has to look at; all else is as it was chosen, or passes by itself. */
const LOUD: ReadonlySet<string> = new Set([
  'suspended',
  'disk_space',
  'restore',
  'kill_switch',
  'not_ready',
  'refused',
  'protective_limit',
  'no_cost',
  'ex_day_unknown',
])

/** Whether the line tells of something that keeps the holding from being protected and does not pass by itself. */
export const isWhyLoud = ({ why }: Partial<PositionRow>): boolean =>
  why?.order?.in_doubt === true || why?.reasons.some((reason) => LOUD.has(reason)) === true
