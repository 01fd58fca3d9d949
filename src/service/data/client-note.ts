import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isReal } from '../../config/drivers.ts'
import type { AccountConfig } from '../../config/schema.ts'
import { ServiceError } from '../../domain/errors.ts'
import { reasonOf } from '../../domain/finding.ts'

/** Beside the database of an account; of another folder than the data folder where that is ''. */
export const clientNoteOf = (dataDir: string, accountId: string): string =>
  join(dataDir, accountId, 'trading-client')

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const WORDS = {
  paper: { zh: '模拟交易客户端', en: 'the embedded trading client' },
  real: { zh: '真实交易客户端', en: 'a real trading client' },
} as const
type Kind = keyof typeof WORDS

/**
 * Which kind of trading client an account has lived with, noted in a file beside its database. The ledger of a grid,
 * highs, a first take-profit and what was earned at one kind say nothing of what is held at the other, and a journal
 * that has followed the lists of the other has forgotten what it knew. Releases before this one left no note: then the
 * kind that is configured counts.
 */
export class ClientNote {
  readonly #path: string
  readonly #account: Pick<AccountConfig, 'account_id' | 'driver'>

  constructor(dataDir: string, account: Pick<AccountConfig, 'account_id' | 'driver'>) {
    this.#path = clientNoteOf(dataDir, account.account_id)
    this.#account = account
  }

  /** Why an account that has data must not be run by its driver, for good or (`STORE_FAILED`) for now; undefined: it may. */
  refusal(): ServiceError | undefined {
    const noted = this.#noted()
    if (noted instanceof ServiceError) return noted
    if (noted === undefined || noted === this.#kind) return undefined
    const { account_id: id, driver } = this.#account
    const { zh, en } = WORDS[noted]
    return new ServiceError(
      'ACCOUNT_PARKED',
      `账户 ${id} 已停用：${dirname(this.#path)} 里是${zh}的数据，而 driver 现为 "${driver}"；请改回 driver，或换一个 data_dir；要从头开始，请移走这个文件夹 (account parked: its data are of ${en}, and its driver is "${driver}" now; put the driver back, or name another data_dir; to begin anew, move that folder away)`,
    )
  }

  /** A disk that refuses it is told by whoever needs it next; without a note nothing is refused. */
  write(): void {
    if (this.#noted() === this.#kind) return
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: FOLDER_MODE })
      writeFileSync(this.#path, `${this.#kind}\n`, { mode: FILE_MODE })
    } catch {
      // as above
    }
  }

  get #kind(): Kind {
    return isReal(this.#account) ? 'real' : 'paper'
  }

  /** Undefined where there is none, or where it was cut. One that cannot be read now may say anything. */
  #noted(): Kind | ServiceError | undefined {
    try {
      const text = readFileSync(this.#path, 'utf8')
      return (['paper', 'real'] as const).find((kind) => text === `${kind}\n`)
    } catch (error) {
      return reasonOf(error) === 'ENOENT' ? undefined : unreadNote(this.#path, error)
    }
  }
}

const unreadNote = (path: string, error: unknown): ServiceError =>
  new ServiceError(
    'STORE_FAILED',
    `${path} 现在读不出来：${reasonOf(error)}；不知道账户的数据是哪种交易客户端的，读出来之前不运行它 (it cannot be read now, so nobody knows of which trading client the data of the account are: it is not run before it can be)`,
    undefined,
    error,
  )
