import type { ConnectionError } from '../connect.ts'

/** What one server said when it was asked alone. */
export interface ServerFacts {
  /** As the configuration names it. */
  readonly server: string
  /** Why there is no connection; then nothing else is known. */
  readonly error?: ConnectionError
  readonly version: string
  readonly hasJetStream: boolean
  /** Undefined: it did not say. */
  readonly clock: ClockFacts | undefined
}

export interface ClockFacts {
  /** Its clock minus ours, in the middle of the question. */
  readonly differenceMs: number
  /** It may be so much more or less: half of the time that the question took. */
  readonly uncertainMs: number
}

/** Copies of one stream, as its leader sees them. */
export interface CopyFacts {
  readonly stream: string
  /** Undefined: there is none now. */
  readonly leader: string | undefined
  readonly copies: readonly {
    readonly server: string
    readonly isCurrent: boolean
    readonly isOffline: boolean
    readonly lag: number
  }[]
  readonly bytes: number
  readonly bytesMax: number
}

/** What the servers let this user do that was tried, and what they refused. */
export interface RightFacts {
  readonly what: string
  readonly isRefused: boolean
  readonly shouldBeRefused: boolean
}

/** What a server tells the operator of itself. */
export interface InnerFacts {
  readonly name: string
  readonly version: string
  readonly hasJetStream: boolean
  /** Whether it flushes to disk before it acknowledges. */
  readonly isSyncAlways: boolean
  /** Ends of certificates, epoch ms; those for clients, and those between the servers. */
  readonly certificateEnds: readonly number[]
}

/** A certificate of ours, by the setting that names it. */
export interface CertificateFacts {
  readonly name: string
  readonly file: string
  /** Epoch ms; undefined: it cannot be read. */
  readonly endMs: number | undefined
}

/** What a node tells of that by which it runs an account. */
export interface NodeFacts {
  readonly node: string
  /** Of its program. */
  readonly version: string
  /** The days on which its exchange is closed, as a digest of each year; undefined: an earlier release, which does not say. */
  readonly days: string | undefined
  /** What of its file decides how it runs an account; undefined: an earlier release, which does not say. */
  readonly rules: string | undefined
  /** Accounts that it would run by the other kind of trading client, and does not take over; undefined: an earlier release. */
  readonly otherClient: readonly string[] | undefined
}
