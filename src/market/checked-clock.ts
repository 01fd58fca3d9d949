/** One look at all the clocks of the computer. */
export interface ClockReading {
  /** Epoch milliseconds; may be set by anybody at any time. */
  readonly wallMs: number
  /** Never jumps, but may stand still while the computer sleeps. */
  readonly monotonicMs: number
  /** Since the computer was started, sleep included; to the second. */
  readonly uptimeMs: number
}

/** What an earlier process knew last. */
export interface KnownTime {
  /** Epoch ms of the market clock. */
  readonly timeMs: number
  /** Of the computer at that moment; null when nobody wrote it down. */
  readonly uptimeMs: number | null
  /** {@link Unproven.offMs} of the wall that it had believed. */
  readonly unprovenMs?: number
}

export interface ClockRules {
  /** A jump of the computer's clock that is told. */
  readonly clockJumpMs: number
  /** A jump, or many small ones within `clockConfirmMs`, that is not followed. */
  readonly clockStopMs: number
  /** A first reading on a later day that nothing confirms must stand for so long. */
  readonly clockSettleMs: number
  /** So long any other reading that nothing confirms. */
  readonly clockConfirmMs: number
  /** Quotes that go on with the time that passes for so long show what time it is. */
  readonly clockStreamMs: number
  /** Exchange day of a moment, by the calendar that is in force. */
  readonly dayOf: (epochMs: number) => string
  /** Whether quotes are to be expected at a moment, by that calendar. */
  readonly isQuoted: (epochMs: number) => boolean
}

/** Times that go on as time passes, heard of quotes. */
interface Stream {
  readonly timeMs: number
  readonly monotonicMs: number
}

/** A wall that was believed because nobody spoke against it for long enough. */
interface Unproven {
  /** The wall less what the market clock would show otherwise. */
  readonly offMs: number
  /** Quotes that go on by the time that the market clock would show. */
  readonly stream: Stream | undefined
}

interface Doubt {
  readonly sinceMs: number
  /** The wall clock less the market clock. */
  readonly offMs: number
  /** For how long the wall clock has gone on without another jump. */
  readonly steadyMs: number
  /** The broker lives on an earlier day than the one on the wall. */
  readonly isDenied: boolean
  readonly stream: Stream | undefined
  /** For how long quotes were to be expected since they last spoke for the market clock and against the wall; undefined: they never did. */
  readonly silentMs: number | undefined
  /** Whether they did so in hours in which quotes are to be expected. */
  readonly isTraded: boolean
}

/**
 * The market clock of a computer whose own clock may be wrong. It follows the clock on the wall as long
 * as that moves with the time that really passes. After a jump it goes on by itself, from the last
 * reading that was trusted, until the wall agrees with it again, or quotes or the broker confirm the
 * new reading, or the new reading has stood long enough with nobody to ask.
 */
export interface CheckedClock extends ClockReading {
  /** Market clock at this reading, epoch ms. */
  readonly marketMs: number
  /** Market milliseconds to one that passes: below 1 while the wall is waited for, so that time never goes back. */
  readonly rate: number
  /** By how much the wall was followed beyond the time that passed, lately. */
  readonly followedMs: number
  /** Until the clock was trusted for the first time in this process. */
  readonly known: KnownTime | undefined
  readonly doubt: Doubt | undefined
  /** Until a quote agrees with the wall. */
  readonly unproven: Unproven | undefined
}

/** What a person should hear of. Milliseconds; negative: back. */
export type ClockNews =
  /** A small jump, followed. */
  | { readonly kind: 'stepped'; readonly shiftMs: number }
  /** A jump that is not followed. */
  | { readonly kind: 'doubted'; readonly offMs: number }
  /** The wall agrees with the market clock again. */
  | { readonly kind: 'returned' }
  /** The market clock was set to the wall. */
  | { readonly kind: 'accepted'; readonly offMs: number; readonly by: Witness | 'time' }
  /** The market clock was set to the quotes; the wall is still elsewhere. `isBefore`: to what it showed before that was believed. */
  | { readonly kind: 'led'; readonly shiftMs: number; readonly isBefore?: true }

/** Who says what time it is, besides the computer. */
export type Witness = 'quotes' | 'broker'

export interface Looked {
  readonly clock: CheckedClock
  readonly news: readonly ClockNews[]
}

/** Uptime is told in seconds, so what it has more than the other clock is sleep only from here on. */
const SLEEP_MS_LEAST = 5_000
/** In which a clock that is ahead of the wall loses it again. */
const SLEW_MS = 10_000
const SLOWEST = 0.5
/** By which the times of a stream of quotes may differ from the time that passes. */
const STREAM_SLACK_MS = 5_000
/** So many times its length a stream waits for being continued. */
const STREAM_PATIENCE = 3

/** The clock of a process that begins, with what an earlier one knew. Without that the wall is all there is. */
export function startClock(
  reading: ClockReading,
  known: KnownTime | undefined,
  rules: ClockRules,
): Looked {
  const trusted: CheckedClock = {
    ...reading,
    marketMs: reading.wallMs,
    rate: 1,
    followedMs: 0,
    known: undefined,
    doubt: undefined,
    unproven: undefined,
  }
  if (known === undefined) return { clock: trusted, news: [] }
  if (isExpected(known, reading, rules)) {
    const { unprovenMs: offMs } = known
    const unproven = offMs === undefined ? undefined : { offMs, stream: undefined }
    return { clock: { ...trusted, unproven }, news: [] }
  }
  return doubted({
    ...trusted,
    marketMs: known.timeMs + Math.max(0, upSince(known, reading)),
    known,
  })
}

/** How long the computer has been up since; below 0: it was started anew, or nobody knows. */
const upSince = ({ uptimeMs: then }: KnownTime, { uptimeMs }: ClockReading): number =>
  then === null ? -1 : uptimeMs - then

/** Market clock at a moment of the monotonic clock, epoch ms. */
export const readAt = ({ marketMs, monotonicMs, rate }: CheckedClock, atMs: number): number =>
  marketMs + Math.max(0, atMs - monotonicMs) * rate

/** Whether a day may open by this clock: it is trusted, or quotes lead it. */
export const isSure = ({ doubt }: CheckedClock, rules: ClockRules): boolean =>
  doubt === undefined || isVetoed(doubt, rules)

const isVetoed = ({ silentMs }: Doubt, { clockConfirmMs }: ClockRules): boolean =>
  silentMs !== undefined && silentMs < clockConfirmMs

/**
 * Noon and night, in which there are no quotes, prove nothing against those of trading. The last ones of a day, which a
 * source tells again to whoever starts, are not of it. What passed while nobody looked, as in a process that was stopped,
 * counts as one look.
 */
function silence(
  { marketMs }: CheckedClock,
  { silentMs, isTraded }: Doubt,
  { realMs }: Since,
  { isQuoted, clockSettleMs }: ClockRules,
): number | undefined {
  if (silentMs === undefined || (isTraded && !isQuoted(marketMs))) return silentMs
  return silentMs + Math.min(realMs, clockSettleMs)
}

/**
 * A first reading that needs no proof: the computer has been up since, and its clock moved with its uptime; or it was
 * started anew, and it is the same exchange day still. A clock that has not moved with the uptime was set, there or back.
 */
function isExpected(known: KnownTime, reading: ClockReading, rules: ClockRules): boolean {
  const { clockStopMs, dayOf } = rules
  const { wallMs } = reading
  const upMs = upSince(known, reading)
  if (upMs >= 0) return Math.abs(wallMs - known.timeMs - upMs) < clockStopMs
  return wallMs > known.timeMs - clockStopMs && dayOf(wallMs) === dayOf(known.timeMs)
}

/** Whether more time has passed than the steady clock knows, which may stand still while the computer sleeps. */
export const isSleep = (upMs: number, passedMs: number): boolean => upMs - passedMs > SLEEP_MS_LEAST

/** Looks at the clocks again. */
export function look(clock: CheckedClock, reading: ClockReading, rules: ClockRules): Looked {
  const passedMs = Math.max(0, reading.monotonicMs - clock.monotonicMs)
  const upMs = reading.uptimeMs - clock.uptimeMs
  const hasSlept = isSleep(upMs, passedMs)
  const realMs = hasSlept ? upMs : passedMs
  const shiftMs = reading.wallMs - clock.wallMs - realMs
  const marketMs = hasSlept ? clock.marketMs + upMs : caughtUp(clock, reading.monotonicMs)
  const here = { ...clock, ...reading, marketMs, rate: 1 }
  const since = { realMs, shiftMs }
  return clock.doubt === undefined
    ? follow(here, since, rules)
    : doubtOn(here, clock.doubt, since, rules)
}

/** It runs slower only until the wall has caught up with it, however long nobody looked. */
const caughtUp = (clock: CheckedClock, atMs: number): number => {
  const { wallMs, monotonicMs, rate } = clock
  const ranMs = readAt(clock, atMs)
  return rate < 1 ? Math.max(ranMs, wallMs + Math.max(0, atMs - monotonicMs)) : ranMs
}

interface Since {
  /** That passed since the last look. */
  readonly realMs: number
  /** By which the wall moved beyond that. */
  readonly shiftMs: number
}

function follow(here: CheckedClock, { realMs, shiftMs }: Since, rules: ClockRules): Looked {
  const { clockStopMs, clockConfirmMs, clockJumpMs } = rules
  const offMs = here.wallMs - here.marketMs
  const leftMs = Math.max(0, here.followedMs - (realMs * clockStopMs) / clockConfirmMs)
  const followedMs = leftMs + Math.abs(shiftMs)
  if (followedMs >= clockStopMs || Math.abs(offMs) >= clockStopMs) return doubted(here)
  const clock = { ...trust(here), followedMs }
  return { clock, news: Math.abs(shiftMs) < clockJumpMs ? [] : [{ kind: 'stepped', shiftMs }] }
}

/** On the wall, or a little slower until the wall has caught up. */
function trust(here: CheckedClock): CheckedClock {
  const offMs = here.wallMs - here.marketMs
  return {
    ...here,
    marketMs: Math.max(here.marketMs, here.wallMs),
    rate: offMs >= 0 ? 1 : Math.max(SLOWEST, 1 + offMs / SLEW_MS),
    known: undefined,
    doubt: undefined,
  }
}

function doubted(here: CheckedClock): Looked {
  const offMs = here.wallMs - here.marketMs
  const doubt: Doubt = {
    sinceMs: here.marketMs,
    offMs,
    steadyMs: 0,
    isDenied: false,
    stream: undefined,
    silentMs: undefined,
    isTraded: false,
  }
  const clock = { ...here, followedMs: 0, doubt, unproven: undefined }
  return { clock, news: [{ kind: 'doubted', offMs }] }
}

function doubtOn(here: CheckedClock, before: Doubt, since: Since, rules: ClockRules): Looked {
  const { realMs, shiftMs } = since
  const { clockJumpMs, clockStopMs, clockSettleMs, clockConfirmMs } = rules
  const offMs = here.wallMs - here.marketMs
  const steadyMs = Math.abs(shiftMs) >= clockJumpMs ? 0 : before.steadyMs + realMs
  const isNear = Math.abs(offMs) < clockStopMs
  if (Math.abs(offMs) < clockJumpMs || (isNear && steadyMs >= clockSettleMs)) {
    return { clock: trust(here), news: [{ kind: 'returned' }] }
  }
  if (here.known !== undefined && isExpected(here.known, here, rules)) return accepted(here, 'time')
  const silentMs = silence(here, before, since, rules)
  const doubt = { ...before, offMs, steadyMs, silentMs }
  const isFirstReading = here.known !== undefined && offMs > 0 && !doubt.isDenied
  const neededMs = isFirstReading ? clockSettleMs : clockConfirmMs
  if (steadyMs >= neededMs && !isVetoed(doubt, rules)) {
    const { clock, news } = accepted(here, 'time')
    return { clock: { ...clock, unproven: { offMs, stream: undefined } }, news }
  }
  return { clock: { ...here, doubt }, news: [] }
}

function accepted(here: CheckedClock, by: Witness | 'time'): Looked {
  const offMs = here.wallMs - here.marketMs
  const clock = { ...here, marketMs: here.wallMs, known: undefined, doubt: undefined }
  return { clock, news: [{ kind: 'accepted', offMs, by }] }
}

/** Somebody else has said what time it is. Only in doubt does that matter, and to a wall that nobody has proved. */
export function hear(
  clock: CheckedClock,
  reading: ClockReading,
  { timeMs, witness }: { readonly timeMs: number; readonly witness: Witness },
  rules: ClockRules,
): Looked {
  const looked = look(clock, reading, rules)
  const here = looked.clock
  const { doubt, unproven } = here
  if (doubt === undefined) {
    if (unproven === undefined || witness === 'broker') return looked
    const tried = prove(here, unproven, timeMs, rules)
    return { clock: tried.clock, news: [...looked.news, ...tried.news] }
  }
  const judged = judge(here, doubt, { timeMs, witness }, rules)
  return { clock: judged.clock, news: [...looked.news, ...judged.news] }
}

/**
 * No quotes spoke against a wall while a feed was away. When it is there again, and its quotes go on by the time of before,
 * that was right: by the wall they are of the future, or old ones, and no stop would be judged.
 */
function prove(here: CheckedClock, unproven: Unproven, timeMs: number, rules: ClockRules): Looked {
  const nearMs = rules.clockStopMs / 2
  if (Math.abs(timeMs - here.wallMs) <= nearMs)
    return { clock: { ...here, unproven: undefined }, news: [] }
  const formerMs = here.wallMs - unproven.offMs
  if (Math.abs(timeMs - formerMs) > nearMs) return { clock: here, news: [] }
  const { monotonicMs } = here
  const found = streamWith(unproven.stream, { timeMs, monotonicMs }, rules)
  if (found !== 'continued') {
    const stream = found === 'begun' ? { timeMs, monotonicMs } : unproven.stream
    return { clock: { ...here, unproven: { ...unproven, stream } }, news: [] }
  }
  const { clock, news } = doubted({ ...here, marketMs: formerMs, rate: 1 })
  const doubt = clock.doubt && spoken(clock.doubt, formerMs, rules)
  const led: ClockNews = { kind: 'led', shiftMs: formerMs - here.marketMs, isBefore: true }
  return { clock: { ...clock, doubt }, news: [led, ...news] }
}

function judge(
  here: CheckedClock,
  doubt: Doubt,
  { timeMs, witness }: { readonly timeMs: number; readonly witness: Witness },
  rules: ClockRules,
): Looked {
  const nearMs = rules.clockStopMs / 2
  if (Math.abs(timeMs - here.wallMs) <= nearMs) return accepted(here, witness)
  if (witness === 'broker') {
    const isDenied = doubt.isDenied || rules.dayOf(timeMs) < rules.dayOf(here.wallMs)
    return { clock: { ...here, doubt: { ...doubt, isDenied } }, news: [] }
  }
  if (Math.abs(timeMs - here.marketMs) <= nearMs) {
    return { clock: { ...here, doubt: spoken(doubt, here.marketMs, rules) }, news: [] }
  }
  return followStream(here, doubt, timeMs, rules)
}

/** Quotes have spoken for the market clock, which shows this time. */
const spoken = (doubt: Doubt, marketMs: number, { isQuoted }: ClockRules): Doubt => ({
  ...doubt,
  silentMs: 0,
  isTraded: doubt.isTraded || isQuoted(marketMs),
})

/**
 * Quotes at neither time. One of them proves nothing: it may be the last of yesterday, or a bad one. Those
 * that go on as time passes come from an exchange that trades now.
 */
function followStream(here: CheckedClock, doubt: Doubt, timeMs: number, rules: ClockRules): Looked {
  const { monotonicMs } = here
  const found = streamWith(doubt.stream, { timeMs, monotonicMs }, rules)
  if (found === 'begun') {
    return { clock: { ...here, doubt: { ...doubt, stream: { timeMs, monotonicMs } } }, news: [] }
  }
  const isAllowed = here.known !== undefined || timeMs > here.marketMs
  if (found === 'waits' || !isAllowed) return { clock: here, news: [] }
  const shiftMs = timeMs - here.marketMs
  const led = { ...spoken(doubt, timeMs, rules), stream: undefined, offMs: here.wallMs - timeMs }
  return { clock: { ...here, marketMs: timeMs, doubt: led }, news: [{ kind: 'led', shiftMs }] }
}

/** What one quote more makes of those before it: another beginning, not yet enough, or as many as prove their time. */
function streamWith(
  stream: Stream | undefined,
  { timeMs, monotonicMs }: Stream,
  { clockStreamMs }: ClockRules,
): 'begun' | 'waits' | 'continued' {
  if (stream === undefined) return 'begun'
  const ageMs = monotonicMs - stream.monotonicMs
  const leadMs = timeMs - stream.timeMs - ageMs
  if (leadMs > STREAM_SLACK_MS || ageMs > STREAM_PATIENCE * clockStreamMs) return 'begun'
  return leadMs >= -STREAM_SLACK_MS && ageMs >= clockStreamMs ? 'continued' : 'waits'
}
