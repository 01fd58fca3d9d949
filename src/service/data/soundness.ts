import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { renameHeld } from '../../config/rename.ts'
import type { AccountConfig } from '../../config/schema.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Logger } from '../../observability/logger.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { databaseFolder } from '../../storage/account-database.ts'
import { type Examined, type ExamineLimits, examineDatabases } from '../../storage/examine.ts'
import { hiddenBy } from '../../storage/hidden.ts'
import { MARK_FILE } from '../../storage/open-environment.ts'
import { DATA_FILE, LOCK_FILE } from '../../storage/openable.ts'
import { ClientNote } from './client-note.ts'
import { isUsable } from './data-folder.ts'
import { newerVersion } from './newer-version.ts'

export interface SoundnessOptions {
  readonly dataDir: string
  readonly limits: ExamineLimits & {
    /** Processes that look through one account each: many may have to be looked at in one moment, as when their owner has ended. */
    readonly looksAtOnce: number
  }
  readonly log: Logger
  /** Whether this user may read and write what is there; asked of the system unless given. */
  readonly mayUse?: (path: string) => boolean
  /** Another look than a process, for tests. */
  readonly examine?: typeof examineDatabases
}

/** A database that the whole process needs is damaged: one line for the operator. */
export class DamageError extends Error {
  override readonly name = 'DamageError'
}

type Account = Pick<AccountConfig, 'account_id' | 'driver'>
type Found = ReadonlyMap<string, Examined>

/** The books of an account of the embedded client. */
export const booksFolder = (dataDir: string, accountId: string): string =>
  join(dataDir, 'paper', accountId, 'db')
const mend =
  '请用 steward restore <备份目录> 恢复 (put it back with steward restore <backup folder>)'

/**
 * Whether the databases may be opened: those of the process before anything starts, those of an account
 * before it does, and again before it is taken over. A damaged account is parked; the others go on.
 */
export class Soundness {
  readonly #options: SoundnessOptions
  /** Accounts whose examination has begun, each for the first that asks. */
  readonly #ahead = new Map<string, Promise<Found>>()
  readonly #looks: Semaphore
  readonly #examine: typeof examineDatabases
  #process: Promise<Found> = Promise.resolve(new Map())

  constructor(options: SoundnessOptions) {
    this.#options = options
    this.#looks = new Semaphore(options.limits.looksAtOnce)
    this.#examine = options.examine ?? examineDatabases
  }

  /** Begins with all that is known to be needed, in one process. */
  begin(accounts: readonly Account[]): void {
    const folders = [...this.#processFolders(), ...accounts.flatMap((one) => this.#foldersOf(one))]
    this.#process = this.#examine(folders, this.#options.limits)
    this.#process.catch(() => undefined) // told to those who wait
    for (const { account_id: id } of accounts) this.#ahead.set(id, this.#process)
  }

  /** Errors  `DamageError` for the database of the service, `STORE_FAILED`; damaged bars are put aside and begun anew. */
  async ofProcess(): Promise<void> {
    const found = await this.#process
    const [service = '', ...bars] = this.#processFolders()
    const { problem = null, isUnread = false } = found.get(service) ?? {}
    if (problem !== null) {
      const denied = this.#denied(service)
      if (denied !== undefined) throw new DamageError(withoutRights(denied))
      if (isUnread) throw unread(service, problem)
      throw new DamageError(`服务数据库已损坏：${service}: ${problem}；${mend}`)
    }
    for (const folder of bars) {
      const { problem: damage = null, isUnread: isUnknown = false } = found.get(folder) ?? {}
      if (damage !== null && !isUnknown) this.#putAside(folder, damage)
    }
  }

  /** Why the account must not be opened, for good or (`STORE_FAILED`) for now; undefined when it may. */
  async ofAccount(account: Account): Promise<ServiceError | undefined> {
    const { account_id: id } = account
    const ahead = this.#ahead.get(id)
    this.#ahead.delete(id)
    const folders = this.#foldersOf(account)
    const found = await (ahead ?? this.#look(folders))
    for (const folder of folders) {
      const examined = found.get(folder)
      if (examined?.isPartial) this.#options.log.info({ folder }, 'a database was examined in part')
      if (typeof examined?.problem === 'string') return this.#refusal(id, folder, examined)
      const whose = folder === databaseFolder(this.#options.dataDir, id) ? 'account' : 'books'
      const newer = examined && newerVersion(whose, examined)
      if (newer !== undefined) return ofNewer(id, folder, newer)
    }
    return this.#ofAnother(account, found)
  }

  async #look(folders: readonly string[]): Promise<Found> {
    const done = await this.#looks.take()
    try {
      return await this.#examine(folders, this.#options.limits)
    } finally {
      done()
    }
  }

  /** Data of another kind of trading client, or whose client has lost its books. */
  #ofAnother(account: Account, found: Found): ServiceError | undefined {
    const { dataDir } = this.#options
    const note = new ClientNote(dataDir, account)
    const own = found.get(databaseFolder(dataDir, account.account_id))
    const refusal = own?.hasConnected === true ? note.refusal() : undefined
    const reason = refusal ?? this.#lost(account, found)
    if (reason === undefined) note.write()
    return reason
  }

  #refusal(id: string, folder: string, { problem, isUnread }: Examined): ServiceError {
    const path = this.#denied(folder)
    if (path === undefined && isUnread) return unread(folder, `${problem}`)
    return path === undefined ? parked(id, folder, `${problem}`) : denied(id, path)
  }

  /** What of a database belongs to another user, as after one run as administrator: what is there may be whole. */
  #denied(folder: string): string | undefined {
    const { mayUse = isUsable } = this.#options
    const paths = [folder, join(folder, DATA_FILE), join(folder, LOCK_FILE)]
    return paths.find((path) => existsSync(path) && !mayUse(path))
  }

  /** Books of the embedded client that are gone are never begun anew with the starting capital unasked. */
  #lost({ account_id: id, driver }: Account, found: Found): ServiceError | undefined {
    if (driver !== 'paper') return undefined
    const { dataDir } = this.#options
    const own = databaseFolder(dataDir, id)
    const paper = booksFolder(dataDir, id)
    if (found.get(paper)?.isAbsent !== true || found.get(own)?.hasConnected !== true)
      return undefined
    const hidden = hiddenBy(join(paper, DATA_FILE))
    if (hidden !== undefined) return denied(id, hidden)
    const text = `账户 ${id} 已停用：其模拟交易账簿 ${paper} 不见了；${mend}；如要从初始资金重新开始，请同时移走 ${join(dataDir, id)} (account parked: the books of its embedded client are gone; to begin anew, move that folder away as well)`
    return new ServiceError('ACCOUNT_PARKED', text)
  }

  #foldersOf({ account_id: id, driver }: Account): string[] {
    const { dataDir } = this.#options
    const own = databaseFolder(dataDir, id)
    return driver === 'paper' ? [own, booksFolder(dataDir, id)] : [own]
  }

  #processFolders(): string[] {
    const service = join(this.#options.dataDir, 'service')
    const bars = join(service, 'bars')
    return [join(service, 'db'), ...subfolders(bars).map((name) => join(bars, name))]
  }

  /** What is in it can be had again: played, downloaded, or put together from new ticks. */
  #putAside(folder: string, problem: string): void {
    const data = join(folder, DATA_FILE)
    const aside = `${data}.damaged-${Date.now()}`
    try {
      rmSync(join(folder, MARK_FILE), { force: true })
      renameHeld(data, aside)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw new DamageError(`${folder}: ${problem}; it cannot be put aside: ${String(error)}`)
    }
    this.#options.log.warn({ folder, problem, aside }, 'damaged bars put aside; they begin anew')
  }
}

const parked = (id: string, folder: string, problem: string): ServiceError =>
  new ServiceError(
    'ACCOUNT_PARKED',
    `账户 ${id} 已停用：数据库 ${folder} 已损坏：${problem}；${mend}，其他账户不受影响 (account parked: its database is damaged)`,
  )

const denied = (id: string, path: string): ServiceError =>
  new ServiceError('ACCOUNT_PARKED', `账户 ${id} 已停用：${withoutRights(path)} (account parked)`)

/** For now: a later look may well be had. */
const unread = (folder: string, problem: string): ServiceError =>
  new ServiceError(
    'STORE_FAILED',
    `数据库 ${folder} 未能检查（可能内存或磁盘不足，或被其他程序占用）：${problem}；目前并未发现损坏，暂不必恢复备份 (it could not be looked through, as where memory or disk space is short, or another program has it open; no damage was found so far, and no backup is needed yet)`,
  )

/**
 * For commands, which leave out nothing that may be sound; `isRestOf`: but what this user may not read.
 *
 * Errors  `STORE_FAILED`: nobody could look.
 */
export async function lookThrough(
  folders: readonly string[],
  limits: ExamineLimits,
  { isRestOf = false } = {},
) {
  const found = await examineDatabases(folders, limits)
  for (const [folder, { problem, isUnread, isDenied }] of found) {
    if (problem === null || (isDenied && isRestOf)) continue
    if (isUnread) throw unread(folder, problem)
    if (isDenied) throw new ServiceError('STORE_FAILED', problem)
  }
  return found
}

const withoutRights = (path: string): string =>
  `当前用户无权读写 ${path}，可能曾以管理员（root）身份运行：请改回它及同文件夹内文件的所有者和权限，再重启服务；并未发现损坏，不必恢复备份 (this user may not read and write it, as after a run as administrator or root: mend the owner and the rights of it and of what lies beside it, and start the service again; no damage was found, and no backup is needed)`

/** Nothing is damaged: a backup of before is only the way back to this version. */
const ofNewer = (id: string, folder: string, why: string): ServiceError =>
  new ServiceError(
    'ACCOUNT_PARKED',
    `账户 ${id} 已停用：数据库 ${folder} ${why}；或用 steward restore 恢复由此版本所做的备份，其他账户不受影响 (account parked; or put back a backup that this version has made)`,
  )

function subfolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  } catch {
    return [] // nothing was ever stored there
  }
}
