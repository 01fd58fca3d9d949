import type { z } from 'zod'
import type { AccountType } from '../domain/account-type.ts'
import type { Finding } from '../domain/finding.ts'
import type { LiveMarket } from '../ports/market-source.port.ts'

/** One thing that is wrong in a section, and where in it. */
export interface SectionProblem {
  readonly path: readonly string[]
  readonly message: string
}

/** Takes what has been looked at, piece by piece. */
export type Say = (found: readonly Finding[]) => void

/**
 * All that the service knows of a driver. The name under which `registry.ts` exports it is the name that
 * configurations use, and that of its sections and of its thread.
 *
 * A registration is light: it is read wherever a configuration is. What only some thread needs is imported
 * there, when it is needed, through the functions that answer a module. `never`: each driver says of its own
 * functions which part of the configuration they take, and the caller, who has all of it, is checked.
 */
export type DriverRegistration = EmbeddedRegistration | RealRegistration

/**
 * Matches orders against the market of this process. It lives beside the market thread, is started with it,
 * and every message to and from it is counted, so that a replay is exact. There is one.
 */
interface EmbeddedRegistration extends CommonRegistration {
  readonly kind: 'embedded'
  /** It trades on every market. */
  readonly markets?: undefined
}

/**
 * Orders leave the computer. Its host is started with its first account; the master switch is confirmed by hand
 * after every start, and the simulation mode is on unless it is switched off.
 */
interface RealRegistration extends CommonRegistration {
  readonly kind: 'real'
  /** Market sources on which it trades. */
  readonly markets: readonly [string, ...string[]]
}

interface CommonRegistration {
  /** Entry of the thread that holds all that is native or connected, see `HostThreadData`. */
  readonly host: string
  /** Section of an account. */
  readonly account?: z.ZodType
  /** Section of `limits`. */
  readonly limits?: z.ZodType
  /** Kinds of account that it places orders for; without them it is for all. */
  readonly accountTypes?: readonly AccountType[]
  /** Of these limits the first must not exceed the second. */
  readonly ordered?: readonly (readonly [smaller: string, larger: string])[]
  /** What the account takes for itself, and where its section says so: two accounts with the same do not go together. */
  readonly own?: (section: never) => readonly SectionProblem[]
  /**
   * What a schema cannot say of the section of an account, and of the market when the quotes are its own.
   * `isUsed`: the account has this driver; of the market it is always so.
   */
  readonly problems?: (section: never, isUsed: boolean) => readonly SectionProblem[]
  /** The market source that bears its name; an account on it has this driver unless it names another. */
  readonly quotes?: QuotesRegistration
  /** What `steward doctor` looks at, when an account or the market is its. */
  readonly doctor?: () => Promise<{ readonly examine: (setup: never, say: Say) => Promise<void> }>
}

export interface QuotesRegistration {
  /** Variant of the section `market`. */
  readonly market: z.ZodType
  /** Name of the source as health snapshots show it. */
  readonly shownAs: string
  /** Longest time for one download of history, on top of what the market takes; milliseconds. */
  readonly downloadMsMax: (limits: never) => number
  /** What its section must not say beside these accounts of the driver. */
  readonly problems?: (market: never, accountIds: readonly string[]) => readonly SectionProblem[]
  readonly open: () => Promise<{ readonly openMarket: (setup: never) => LiveMarket }>
}
