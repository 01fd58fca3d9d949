import type { CallOptions } from '../../../http/port/service.ts'
import { absentAnswer } from '../../account/answers/absent.ts'
import { saidOf } from '../../domain/error-words.ts'
import { type ErrorCode, ServiceError } from '../../domain/errors.ts'
import type { Published, Resource } from '../../protocol/account.ts'
import type { ActorSystem } from '../threads/actor-system.ts'

export interface KeptReadsOptions {
  readonly accountId: string
  readonly alias: string
  readonly system: Pick<ActorSystem, 'board' | 'quotes'>
  /** Row of the boards. */
  readonly slot: number
  /** This process runs the account: of another process's the boards say nothing. */
  readonly isOwner: () => boolean
  /** Prices that have been overtaken are shown for at most so long, milliseconds; 0 = never. */
  readonly priceAgeMs: number
  /** Whether the market trades now, by the market clock. */
  readonly isInSession: () => boolean
  /** Of a clock that does not jump. */
  readonly steadyMs: () => number
  /** Asks whoever runs the account. */
  readonly ask: (resource: Resource, options: CallOptions) => Promise<Published>
}

/** A read model in memory. */
interface Kept {
  readonly published: Published
  /** Before the account was asked for it: it shows all that was there then. */
  readonly askedMs: number
  /** What held then of all that comes and goes without any news. */
  readonly around: number
  /** Writes of the quote board when it was last found to be current: without more of them it still is. */
  writes: number
}

/** Nobody can be asked now, or until a person has mended something. */
const ABSENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ACCOUNT_PARKED',
  'ACCOUNT_SUSPENDED',
  'ACTOR_RESTARTING',
  'NOT_OWNER',
])
/** These age by themselves, without any news of account or quotes: a market that falls silent stops purchases, a cool-down ends. */
const AGING: ReadonlySet<Resource> = new Set<Resource>([
  'killSwitch',
  'v1KillSwitch',
  'overview',
  'gridSessions',
])
/**
 * These tell whether the market trades, and whether the disk has room and answers: neither brings any news of account or
 * quotes.
 */
const OF_SURROUNDINGS: ReadonlySet<Resource> = new Set<Resource>([
  'positions',
  'positionsAll',
  'v1Positions',
])
/** Of an answer that was not made by the account. */
const ABSENT_VERSION = -1

/**
 * The read models of an account, kept in memory for as long as they are current. Whatever the account has done since makes them
 * old at once. So do other prices, but for a moment: with a hundred holdings one of them moves all the time, and an
 * account that was asked anew after each would work for those who look at it instead of for its orders.
 */
export class KeptReads {
  readonly #options: KeptReadsOptions
  readonly #published = new Map<Resource, Kept>()
  readonly #refreshing = new Map<Resource, Promise<Published>>()
  /** Of the newest prices that any of them shows: who has seen those is not shown older ones elsewhere. */
  #shownStamp = 0
  /** Lives of the account that were forgotten. */
  #forgotten = 0

  constructor(options: KeptReadsOptions) {
    this.#options = options
  }

  /** What is kept was made by another life of the account, and so is what is on its way. */
  forget(): void {
    this.#forgotten += 1
    this.#published.clear()
    this.#refreshing.clear()
  }

  /**
   * From memory while it is current; otherwise everybody who asks meanwhile shares one refresh. The
   * status routes do not wait for an account that loads its state.
   */
  read(resource: Resource, options: CallOptions): Published | Promise<Published> {
    const starting = this.#starting(resource)
    if (starting !== undefined) return starting
    const kept = this.#published.get(resource)
    const current = kept && this.#whileCurrent(kept)
    if (current !== undefined) return current
    const under = this.#refreshing.get(resource)
    if (under !== undefined) return under
    const refreshing = this.refresh(resource, options).finally(() => {
      if (this.#refreshing.get(resource) === refreshing) this.#refreshing.delete(resource)
    })
    this.#refreshing.set(resource, refreshing)
    return refreshing
  }

  #starting(resource: Resource): Published | undefined {
    const { accountId, alias, isOwner, slot, system } = this.#options
    if (!isOwner() || system.board.status(slot) !== 'starting') return undefined
    return absent(resource, {
      accountId,
      alias,
      problem: saidOf({
        code: 'ACTOR_RESTARTING',
        message: `account ${accountId} is starting; try again`,
      }),
    })
  }

  /** Asks anew, whatever is kept. Some resources are answered also while nobody can be asked. */
  async refresh(resource: Resource, options: CallOptions): Promise<Published> {
    const askedMs = this.#options.steadyMs()
    const forgotten = this.#forgotten
    const around = this.#around()
    const published = await this.#options
      .ask(resource, options)
      .catch((error: unknown) => this.#absent(resource, error))
    // Versions of two lives are counted apart: what one has told is no current answer of the next.
    if (published.version === ABSENT_VERSION || forgotten !== this.#forgotten) return published
    if (published.quoteSlots.length > 0) this.#shownStamp = published.quoteStamp
    this.#published.set(resource, { published, askedMs, around, writes: Number.NaN })
    return published
  }

  /** What is kept, unless it is older than the account, or for too long than a quote that it shows; notes up to which write it holds. */
  #whileCurrent(kept: Kept): Published | undefined {
    const { system, slot, isOwner } = this.#options
    const { resource, version, quoteSlots, quoteStamp } = kept.published
    if (!isOwner() || system.board.version(slot) !== version) return undefined
    if (AGING.has(resource) && !this.#isRecent(kept)) return undefined
    if (OF_SURROUNDINGS.has(resource) && this.#around() !== kept.around) return undefined
    const writes = system.quotes.writes() // before the rows: what is written meanwhile is seen next time
    if (writes !== kept.writes && !this.#isYoung(kept)) {
      if (system.quotes.stamp(quoteSlots) !== quoteStamp) return undefined
      kept.writes = writes
    }
    return kept.published
  }

  #around(): number {
    const { system, isInSession } = this.#options
    const { board } = system
    return Number(isInSession()) + 2 * Number(board.isDiskLow()) + 4 * Number(board.isDiskLate())
  }

  /** Nobody has been shown newer prices, and if others stand by now they have not stood for long. */
  #isYoung({ published, askedMs }: Kept): boolean {
    return published.quoteStamp === this.#shownStamp && this.#isRecent({ askedMs })
  }

  /** Asked for within the time for which overtaken prices may be shown. */
  #isRecent({ askedMs }: Pick<Kept, 'askedMs'>): boolean {
    const { priceAgeMs, steadyMs } = this.#options
    return steadyMs() - askedMs < priceAgeMs
  }

  /** The status routes answer also while nobody can be asked. Throws the error for the others. */
  #absent(resource: Resource, error: unknown): Published {
    const { accountId, alias, isOwner } = this.#options
    if (!(error instanceof ServiceError)) throw error
    // Of what runs elsewhere a late answer is all that tells of an owner that is gone, or stands still.
    const isLate = error.code === 'DEADLINE_EXCEEDED' && !isOwner()
    if (!isLate && !ABSENT.has(error.code)) throw error
    const published = absent(resource, { accountId, alias, problem: saidOf(error) })
    if (published === undefined) throw error
    return published
  }
}

/** Undefined for what only the account itself can answer. */
function absent(
  resource: Resource,
  account: { readonly accountId: string; readonly alias: string; readonly problem: string },
): Published | undefined {
  const bytes = absentAnswer(resource, account)
  const version = ABSENT_VERSION
  return bytes && { resource, bytes, version, quoteSlots: [], quoteStamp: 0, dataVersion: 0 }
}
