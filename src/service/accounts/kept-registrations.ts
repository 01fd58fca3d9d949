import type { Registration } from '../../config/account.ts'
import { decode, encode } from '../../protocol/codec.ts'
import type { StoreControl, StoreControlReplies } from '../../protocol/store.ts'
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
  /** Hears of one that is kept again although it was forgotten here since it was registered. */
  readonly onReturned?: (accountId: string) => void
}

/** Of an account whose registration cannot be read. */
export const UNREAD =
  '运行中注册的账户未能读出，不运行：由更新的版本登记（请使用该版本），或它的名字不再允许（请另起名字重新注册，旧数据仍在它的文件夹里） (an account that was registered before is not run: a later release has registered it (use that one), or its name is not allowed any more (register it under another one; its data stays in its folder))'

/** Of an account that is run again although it was unregistered. */
export const RETURNED =
  '该账户曾在此注销（或不再运行），现又按注销之前的注册重新运行，包括止盈止损与网格（集群的控制桶可能恢复了旧备份）。若它不应运行，请再次注销 (was unregistered, or let go, here, and is run again by a registration of before, with its stops and grids, as after the control bucket of the cluster was put back: unregister it again if it is not to run)'

/** One record for all, as it was once. */
const TOGETHER = 'accounts/registered'
const EACH = `${TOGETHER}/`
/** When an account was forgotten last, epoch ms. */
const FORGOTTEN = 'accounts/forgotten/'

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

  /** `ord`: when it was registered, epoch ms. */
  async keep(registration: Registration, ord = this.#deps.nowMs()): Promise<void> {
    const { records, onReturned } = this.#deps
    const { account_id: id } = registration
    await records({ kind: 'put', key: EACH + id, value: encodeShared({ ord, registration }) })
    const forgotten = await records({ kind: 'get', key: FORGOTTEN + id })
    if (forgotten !== null && ord < decode<number>(forgotten)) onReturned?.(id)
  }

  async forget(accountId: string): Promise<void> {
    const { records, nowMs } = this.#deps
    await records({ kind: 'put', key: FORGOTTEN + accountId, value: encode(nowMs()) })
    await records({ kind: 'put', key: EACH + accountId, value: null })
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
