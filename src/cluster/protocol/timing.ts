/** Every time of the protocol, milliseconds. Configuration brings them; `timingFaults` are its rules. */
export interface Timing {
  /** A node that is silent for this long, and a margin, may be fenced. */
  readonly ttlMs: number
  /** Time from one renewal to the next. */
  readonly renewMs: number
  /** For the rate of clocks, and for threads that are late. */
  readonly marginMs: number
  /** The engine answers a call within this, or nothing is known of it. */
  readonly engineMs: number
  /** A node that ranks one lower for an account claims it this much later. */
  readonly rankDelayMs: number
  /** A node without room on its disk gives an account up once another one has had room for so long. */
  readonly roomMs: number
  /** And the same account no sooner than so long after the last time. */
  readonly roomAgainMs: number
  /** The call to a trading client must begin within this of the decision. */
  readonly intentTtlMs: number
  /** A call to a trading client ends within this. */
  readonly brokerCallMs: number
  /** What a trading client answers may be this old. */
  readonly brokerCacheMs: number
  /** Waited on top before "not found" is believed. */
  readonly doubtMarginMs: number
  /** First wait before a call that failed is made again; it doubles up to `renewMs`. */
  readonly retryMs: number
  /** How often the reducers are told that time passes. */
  readonly tickMs: number
}

/** As measured: the longest election took 9.1 s. */
export const DEFAULT_TIMING: Timing = {
  ttlMs: 15_000,
  renewMs: 2_000,
  marginMs: 1_000,
  engineMs: 1_000,
  rankDelayMs: 2_000,
  roomMs: 30_000,
  roomAgainMs: 600_000,
  intentTtlMs: 1_500,
  brokerCallMs: 3_000,
  brokerCacheMs: 6_000,
  doubtMarginMs: 1_000,
  retryMs: 50,
  tickMs: 100,
}

/** Longest election of the servers that was seen: they cannot be told to be faster. */
const ELECTION_MS = 9_100

/** Own renewals that were interrupted for longer than this say nothing about the silence of others. */
export const interruptionMs = ({ renewMs }: Timing): number => 3 * renewMs
/** A watch that has not shown our own renewals for this long is dead. */
export const watchStallMs = ({ renewMs }: Timing): number => 3 * renewMs
/** An owner may act for this long after it has sent a renewal that was acknowledged. */
export const ownMs = ({ ttlMs, marginMs }: Pick<Timing, 'ttlMs' | 'marginMs'>): number =>
  ttlMs - marginMs
/** Others wait for this long after they have seen the last renewal. `ttlMs` is that of the silent node. */
export const silenceMs = (ttlMs: number, { marginMs }: Pick<Timing, 'marginMs'>): number =>
  ttlMs + marginMs
/** From a take-over until a trading client shows every call that a former owner may still have begun. */
export function doubtMs(timing: Timing): number {
  const { intentTtlMs, brokerCallMs, brokerCacheMs, doubtMarginMs } = timing
  return intentTtlMs + brokerCallMs + brokerCacheMs + doubtMarginMs
}

/** A rule between times that does not hold. Texts are `中文 (english)`. */
export interface TimingFault {
  readonly field: keyof Timing
  readonly text: string
}

interface Rule {
  readonly field: keyof Timing
  readonly holds: (timing: Timing) => boolean
  readonly text: string
}

const RULES: readonly Rule[] = [
  {
    field: 'ttlMs',
    holds: ({ ttlMs, renewMs }) => ttlMs >= 6 * renewMs,
    text: '须至少为 renew 的 6 倍，否则短暂中断后正常节点会被隔离 (at least 6 times renew, or a short outage gets healthy nodes fenced)',
  },
  {
    field: 'marginMs',
    holds: ({ ttlMs, marginMs, tickMs }) => marginMs >= 2 * tickMs && ttlMs > 4 * marginMs,
    text: '须至少为 tick 的 2 倍，且小于 ttl 的四分之一 (at least twice tick, and less than a quarter of ttl)',
  },
  {
    field: 'marginMs',
    holds: ({ ttlMs, marginMs }) => marginMs * 50 >= ttlMs,
    text: '须至少为 ttl 的 2%，以容纳时钟速率误差 (at least 2 % of ttl, for the rate of clocks)',
  },
  {
    field: 'engineMs',
    holds: ({ engineMs, renewMs }) => engineMs <= renewMs,
    text: '不得超过 renew，否则续约会堆积 (not above renew, or renewals pile up)',
  },
  {
    field: 'intentTtlMs',
    holds: (timing) => timing.intentTtlMs < ownMs(timing),
    text: '须小于 ttl 减 margin (less than ttl minus margin)',
  },
  {
    field: 'retryMs',
    holds: ({ retryMs, renewMs }) => retryMs <= renewMs,
    text: '不得超过 renew (not above renew)',
  },
]

/** Rules that do not hold: the service must not start with such times. */
export function timingFaults(timing: Timing): readonly TimingFault[] {
  const fields = Object.keys(DEFAULT_TIMING) as (keyof Timing)[]
  const odd = fields.filter((field) => !Number.isSafeInteger(timing[field]) || timing[field] < 1)
  if (odd.length > 0) {
    const text = '须为正整数毫秒 (whole milliseconds above 0)'
    return odd.map((field) => ({ field, text }))
  }
  return RULES.filter(({ holds }) => !holds(timing)).map(({ field, text }) => ({ field, text }))
}

/** What is safe, and stops all trading for the length of every election. Undefined when the lease outlives it. */
export function electionWarning(timing: Timing): TimingFault | undefined {
  if (timing.ttlMs > ELECTION_MS + 2 * timing.renewMs) return
  const text =
    '短于服务器选举时间：每次选举期间全部账户暂停下单 (shorter than an election of the servers: all trading stops for each of them)'
  return { field: 'ttlMs', text }
}
