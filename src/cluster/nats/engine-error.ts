/**
 * How a call to the servers failed. None of them says whether something was written: only reading does.
 *
 * `conflict`     somebody else has written there
 * `ambiguous`    it was sent, and what became of it is not known
 * `unavailable`  nothing was sent, nobody listens, or the servers say: not now
 * `full`         the stream has no room; what it holds stays, nothing new comes in
 */
export type EngineFailure = 'conflict' | 'ambiguous' | 'unavailable' | 'full'

/** A call to the servers of a cluster has failed. Its text says what to mend where there is something. */
export class EngineError extends Error {
  readonly failure: EngineFailure
  /** What the server named it; 0 where no server has answered. */
  readonly code: number

  constructor(failure: EngineFailure, text: string, code = 0) {
    super(text)
    this.name = 'EngineError'
    this.failure = failure
    this.code = code
  }
}

/** Only a person can make room: its text says how. */
export const isFull = (error: unknown): error is EngineError =>
  error instanceof EngineError && error.failure === 'full'

/** Codes of JetStream that mean something here. */
export const CODES = {
  /** The last sequence of the subject is another one, which the text names. */
  wrongLastSequence: 10_071,
  /** Another write to the subject is under way: no proof of anything, and a lone writer sees it too. */
  writeUnderWay: 10_164,
  noMessage: 10_037,
  noStream: 10_059,
  /** The stream takes no more: `max_bytes` and discard `new`. */
  streamFull: 10_077,
  noStorage: 10_047,
  noResources: 10_023,
  /** No server of the cluster can hold a stream; the text says why. */
  noPeers: 10_005,
  /** More than the account may have. */
  overLimits: 10_002,
} as const

const FULL: ReadonlySet<number> = new Set([CODES.streamFull, CODES.noStorage, CODES.noResources])

/** What an answer with an error means for a write. */
export function failureOf(code: number): EngineFailure {
  if (code === CODES.wrongLastSequence) return 'conflict'
  if (code === CODES.writeUnderWay) return 'ambiguous'
  return FULL.has(code) ? 'full' : 'unavailable'
}
