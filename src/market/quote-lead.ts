/**
 * A clock of the computer that is minutes wrong, and does not jump, looks like any other. What the quotes say of it: while
 * their times go on as time passes, the newest of them is as old as its way here takes. So a clock that is behind lets the
 * session begin late, and goes on ordering after the close; by one that is ahead each quote counts as an old one, and
 * nothing is ordered on old quotes, no stop either.
 */
export interface QuoteLead {
  /** What was seen since the last verdict; undefined: nothing. */
  readonly seen: Seen | undefined
  /** Exchange day on which it was told last that the clock is off; empty: it is not. */
  readonly toldDay: string
}

interface Seen {
  /** Of the market clock, and the time of the first quote then, epoch ms. */
  readonly sinceMs: number
  readonly firstMs: number
  readonly newestMs: number
  /** The greatest that a quote was ahead of the clock; below 0: all were behind it. */
  readonly leadMs: number
}

export interface LeadRules {
  /** From which on it is told. */
  readonly quoteLeadMs: number
  /** How long quotes are looked at before each verdict. */
  readonly quoteLeadWindowMs: number
  readonly dayOf: (epochMs: number) => string
}

/** What a person should hear. `leadMs`: by which the quotes are ahead of the clock; negative: behind it. */
export type LeadNews =
  | { readonly kind: 'off'; readonly leadMs: number }
  | { readonly kind: 'right'; readonly leadMs: number }

export const NO_LEAD: QuoteLead = { seen: undefined, toldDay: '' }

/** By which the times of quotes may go on faster or slower than the time that passes: those of one stock come in steps. */
const PACE_SLACK_MS = 5_000
/** So many windows without a quote, and another one begins. */
const PATIENCE = 2

export interface LeadSeen {
  readonly lead: QuoteLead
  readonly news?: LeadNews
  /** The quotes until now have gone on as time passes, and agree with the clock: somebody trades. */
  readonly isTraded?: true
}

/** A live quote of `timeMs` that is seen at `nowMs` of the market clock, both epoch ms. */
export interface QuoteSeen {
  readonly timeMs: number
  readonly nowMs: number
}

/** Whether it is no newer than what was seen, as are nearly all of a batch, and no verdict is due: they cost nothing. */
export const isOfBatch = (
  { seen }: QuoteLead,
  { timeMs, nowMs }: QuoteSeen,
  { quoteLeadWindowMs }: LeadRules,
): boolean =>
  seen !== undefined &&
  nowMs >= seen.sinceMs &&
  nowMs - seen.sinceMs < quoteLeadWindowMs &&
  timeMs <= seen.newestMs &&
  timeMs - nowMs <= seen.leadMs

/** What it changes of what was seen, and what it tells of the clock. */
export function seeQuote(
  { seen, toldDay }: QuoteLead,
  { timeMs, nowMs }: QuoteSeen,
  rules: LeadRules,
): LeadSeen {
  const { quoteLeadMs, quoteLeadWindowMs, dayOf } = rules
  const leadMs = timeMs - nowMs
  const passedMs = nowMs - (seen?.sinceMs ?? nowMs)
  const isOver = passedMs < 0 || passedMs > PATIENCE * quoteLeadWindowMs
  if (seen === undefined || isOver) {
    const begun = { sinceMs: nowMs, firstMs: timeMs, newestMs: timeMs, leadMs }
    return { lead: { seen: begun, toldDay } }
  }
  const newestMs = Math.max(seen.newestMs, timeMs)
  const together = { ...seen, newestMs, leadMs: Math.max(seen.leadMs, leadMs) }
  if (passedMs < quoteLeadWindowMs) return { lead: { seen: together, toldDay } }
  const isStream = Math.abs(newestMs - seen.firstMs - passedMs) <= PACE_SLACK_MS
  if (!isStream) return { lead: { seen: undefined, toldDay } }
  const next = { sinceMs: nowMs, firstMs: newestMs, newestMs, leadMs: newestMs - nowMs }
  const verdict = verdictOn(together.leadMs, { toldDay, day: dayOf(nowMs), quoteLeadMs })
  return {
    lead: { seen: next, toldDay: verdict.toldDay },
    ...(verdict.news && { news: verdict.news }),
    ...(!verdict.isOff && { isTraded: true }),
  }
}

interface Told {
  readonly toldDay: string
  readonly day: string
  readonly quoteLeadMs: number
}

/** What comes late by nearly as much as is told would be told with each window: it is right again at half of that. */
function verdictOn(leadMs: number, { toldDay, day, quoteLeadMs }: Told) {
  const offMs = Math.abs(leadMs)
  const isOff = offMs >= quoteLeadMs
  if (isOff) {
    const news: LeadNews | undefined = toldDay === day ? undefined : { kind: 'off', leadMs }
    return { isOff, toldDay: day, news }
  }
  if (toldDay === '' || offMs >= quoteLeadMs / 2) return { isOff, toldDay, news: undefined }
  return { isOff, toldDay: '', news: { kind: 'right', leadMs } as const }
}
