import type { Registration } from '../config/account.ts'
import { decode } from '../protocol/codec.ts'
import type { StoreControl, StoreControlReplies } from '../protocol/store.ts'
import { encodeShared, parseShared } from './shared-registrations.ts'

type RecordRequest = Extract<StoreControl, { kind: 'get' | 'put' | 'list' }>

export interface KeptRegistrationsDeps {
  /** The process-wide records. */
  readonly records: <K extends RecordRequest['kind']>(
    request: Extract<RecordRequest, { kind: K }>,
  ) => Promise<StoreControlReplies[K]>
  /** Wall clock, epoch milliseconds. */
  readonly nowMs: () => number
  readonly max: number
  /** Hears of each that cannot be read: it is kept, and its account is not run. */
  readonly onUnread: (accountId: string) => void
}

/** Of an account whose registration cannot be read. */
export const UNREAD =
  '运行中注册的账户未能读出，不运行：由更新的版本登记（请使用该版本），或它的名字不再允许（请另起名字重新注册，旧数据仍在它的文件夹里） (an account that was registered before is not run: a later release has registered it (use that one), or its name is not allowed any more (register it under another one; its data stays in its folder))'

/** One record for all, as it was once. */
const TOGETHER = 'accounts/registered'
const EACH = `${TOGETHER}/`

/** Which accounts are registered on a data folder, for whoever only looks at its records; those that are not run are among them. */
export async function registeredAmong(
  look: (
    prefix: string,
  ) => Promise<readonly { readonly key: string; readonly value: Uint8Array }[]>,
): Promise<readonly string[]> {
  const rows = await look(TOGETHER)
  return rows.flatMap(({ key, value }) =>
    key === TOGETHER
      ? decode<Registration[]>(value).map(({ account_id: id }) => id)
      : key.slice(EACH.length),
  )
}

/**
 * What was registered at run time, for the next life of a gateway. A record for each account: several gateways may
 * work on one data folder, and none knows what the others have in mind.
 */
export class KeptRegistrations {
  readonly #deps: KeptRegistrationsDeps

  constructor(deps: KeptRegistrationsDeps) {
    this.#deps = deps
  }

  /** In the order in which they were registered. One that this release cannot read or takes no more is left out, kept, and told. */
  async load(): Promise<readonly Registration[]> {
    await this.#part()
    const { records, max, onUnread } = this.#deps
    const rows = await records({ kind: 'list', prefix: EACH, limit: max })
    const read = rows.map(({ key, value }) => ({ key, shared: parseShared(value) }))
    for (const { key, shared } of read) if (shared === undefined) onUnread(key.slice(EACH.length))
    return read
      .flatMap(({ shared }) => shared ?? [])
      .toSorted((a, b) => a.ord - b.ord)
      .map(({ registration }) => registration)
  }

  async keep(registration: Registration, ord = this.#deps.nowMs()): Promise<void> {
    const key = EACH + registration.account_id
    await this.#deps.records({ kind: 'put', key, value: encodeShared({ ord, registration }) })
  }

  async forget(accountId: string): Promise<void> {
    await this.#deps.records({ kind: 'put', key: EACH + accountId, value: null })
  }

  /** Before all others, in their order. */
  async #part(): Promise<void> {
    const { records } = this.#deps
    const bytes = await records({ kind: 'get', key: TOGETHER })
    if (bytes === null) return
    const all = decode<Registration[]>(bytes)
    for (const [index, registration] of all.entries()) await this.keep(registration, index)
    await records({ kind: 'put', key: TOGETHER, value: null })
  }
}
