import type { ClusterAsked } from '../config/commands/cluster.ts'
import type { AccountConfig, Config } from '../config/schema.ts'
import { maskAccount } from '../domain/mask.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { createLogMemory } from '../observability/log-memory.ts'
import { createLogger } from '../observability/logger.ts'
import { ActorSystem } from './actor-system.ts'
import { Mover, type Moving, type Told } from './cluster-mover.ts'
import { openDataFolder } from './data-folder.ts'
import { inCamelCase } from './limits.ts'
import { Soundness } from './soundness.ts'
import { lockStopped } from './stopped.ts'

type Asked = Extract<ClusterAsked, { verb: 'join' | 'leave' }>

export interface Moves extends Moving {
  readonly asked: Asked
  /** Takes each finished line. */
  readonly write: (line: string) => void
}

/**
 * `steward cluster join` and `leave`: this process is the node while the service is stopped, so everything goes the
 * way it always goes: a lease, a claim in the journal, a claim of the database. Each step can be repeated.
 *
 * @returns whether every account is where it was asked to be. Errors  one line: nothing was begun.
 */
export async function moveAccounts(moving: Moves): Promise<Result<boolean, string>> {
  const { config, asked } = moving
  const accounts = chosen(config, asked.accounts)
  if (!accounts.ok) return accounts
  const folder = openDataFolder(config.data_dir)
  if (!folder.ok) return err(folder.error)
  const locks = await lockStopped(config, config.data_dir)
  if (!locks.ok) return locks
  try {
    return ok(await move(moving, accounts.value))
  } finally {
    await Promise.all(locks.value.map((lock) => lock.release()))
  }
}

function chosen(
  { accounts }: Config,
  wanted: readonly string[] | undefined,
): Result<readonly AccountConfig[], string> {
  if (wanted === undefined) return ok(accounts)
  const strange = wanted.find((id) => !accounts.some(({ account_id }) => account_id === id))
  if (strange !== undefined) {
    return err(`--account ${strange} 不在配置的 accounts 中 (is not among "accounts")`)
  }
  return ok(accounts.filter(({ account_id }) => wanted.includes(account_id)))
}

async function move(moving: Moves, accounts: readonly AccountConfig[]): Promise<boolean> {
  const { config, asked, write } = moving
  const isLost = asked.verb === 'leave' && asked.isLost
  const log = createLogger({
    level: 'error',
    name: 'cluster',
    write: (line) => void process.stderr.write(line),
  })
  const fatal = Promise.withResolvers<never>()
  fatal.promise.catch(() => undefined) // told to those who wait
  const system = await ActorSystem.open({
    config: isLost ? { ...config, cluster: undefined } : config,
    log,
    logs: createLogMemory('error', config.limits.log.thread_lines_max),
    onFatal: (reason) => fatal.reject(new Error(reason)),
    allowFaults: false,
  })
  const limits = inCamelCase(config.limits.examine)
  const soundness = new Soundness({ dataDir: config.data_dir, limits, log })
  soundness.begin(accounts)
  let isWhole = true
  try {
    for (const account of accounts) {
      const done = moveOne(new Mover(moving, { account, system }), asked, soundness)
      const outcome = await Promise.race([done, fatal.promise]).catch((error: unknown) =>
        err(error instanceof Error ? error.message : String(error)),
      )
      isWhole &&= outcome.ok
      const text = outcome.ok ? outcome.value : outcome.error
      write(`${outcome.ok ? 'ok  ' : 'fail'}  ${maskAccount(account.account_id)}  ${text}`)
    }
  } finally {
    await system.close()
  }
  return isWhole
}

async function moveOne(mover: Mover, asked: Asked, soundness: Soundness): Promise<Told> {
  const damage = await soundness.ofAccount(mover.account)
  if (damage !== undefined) return err(damage.message)
  if (asked.verb === 'join') return mover.join()
  return asked.isLost ? mover.leaveLost() : mover.leave()
}
