import type { AccountState } from '../../src/account/model/state.ts'
import type { AuditQuery } from '../../src/protocol/account.ts'
import type { EarningsAnswer, EarningsQuestion } from '../../src/protocol/earnings.ts'
import type { FillsAnswer, FillsQuestion } from '../../src/protocol/fills.ts'
import type { GridAnswer, GridQuestion } from '../../src/protocol/grid.ts'
import { AuditPages } from './audit-pages.ts'
import type { AccountActorDeps } from './deps.ts'
import { EarningsPages } from './earnings-pages.ts'
import { FillPages } from './fill-pages.ts'
import { GridPages } from './grid-pages.ts'
import type { Holdings } from './holdings.ts'
import type { Readings } from './readings.ts'

interface PagesSight {
  readonly state: AccountState
  readonly holdings: Holdings
  readonly readings: Readings
  /** Resolves when all that is known by now is on disk, also what waits for company on its way there. */
  readonly written: () => Promise<void>
}

/** What is answered page by page from the database of the account, beside its mailbox. */
export class Pages {
  readonly #sight: PagesSight
  readonly #audit: AuditPages
  readonly #grids: GridPages
  readonly #earnings: EarningsPages
  readonly #fills: FillPages

  constructor({ store, limits }: Pick<AccountActorDeps, 'store' | 'limits'>, sight: PagesSight) {
    this.#sight = sight
    this.#audit = new AuditPages(store, limits)
    this.#grids = new GridPages(store, limits)
    this.#earnings = new EarningsPages(store, limits)
    this.#fills = new FillPages(store, limits)
  }

  /** With all that is known by now; who follows it is told what waits for company later. */
  async audit(query: AuditQuery): Promise<unknown> {
    const { state, written } = this.#sight
    if (query.isRecent !== true) await written()
    return this.#audit.read(query, state.seq)
  }

  grid(question: GridQuestion): Promise<GridAnswer> {
    const { state, holdings, readings } = this.#sight
    return this.#grids.read({ state, ...holdings.sight(), resting: readings.resting }, question)
  }

  async earnings(question: EarningsQuestion): Promise<EarningsAnswer> {
    const { state, holdings, written } = this.#sight
    await written()
    return this.#earnings.read({ state, ...holdings.sight() }, question)
  }

  async fills(question: FillsQuestion): Promise<FillsAnswer> {
    const { state, written } = this.#sight
    await written()
    const { recordsVersion, notesVersion, fillNotes: notes } = state
    // Both only go up.
    return this.#fills.read({ version: recordsVersion + notesVersion, notes }, question)
  }
}
