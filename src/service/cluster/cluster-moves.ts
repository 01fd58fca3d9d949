import { type Registration, registerDefaults } from '../../config/account.ts'
import { inCamelCase } from '../../config/camel-case.ts'
import type { ClusterAsked } from '../../config/commands/cluster.ts'
import type { AccountConfig } from '../../config/schema.ts'
import { maskAccount } from '../../domain/mask.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { createLogMemory } from '../../observability/log-memory.ts'
import { createLogger } from '../../observability/logger.ts'
import { KeptRegistrations, UNREAD } from '../accounts/kept-registrations.ts'
import { openDataFolder } from '../data/data-folder.ts'
import { Soundness } from '../data/soundness.ts'
import { lockStopped } from '../data/stopped.ts'
import { ActorSystem } from '../threads/actor-system.ts'
import { Mover, type Moving, type Told } from './cluster-mover.ts'

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
  const { config } = moving
  const folder = openDataFolder(config.data_dir)
  if (!folder.ok) return err(folder.error)
  const locks = await lockStopped(config, config.data_dir)
  if (!locks.ok) return locks
  try {
    return await move(moving)
  } finally {
    await Promise.all(locks.value.map((lock) => lock.release()))
  }
}

/** An account, and how it was registered, where that was at run time. */
interface Chosen {
  readonly account: AccountConfig
  readonly registration?: Registration
}

/**
 * Those of the configuration, and of those that were registered on this data folder the ones that this node may run.
 * Where none is named that is this node, but for a gateway, which runs none.
 */
async function known(
  { config, cluster }: Moves,
  kept: KeptRegistrations,
): Promise<readonly Chosen[]> {
  const configured = config.accounts.map((account): Chosen => ({ account }))
  const isConfigured = ({ account_id }: Registration) =>
    configured.some(({ account }) => account.account_id === account_id)
  const unnamed = cluster.role === 'gateway' ? [] : [cluster.node]
  const registered = (await kept.load())
    .filter((registration) => !isConfigured(registration))
    .filter(({ eligible }) => eligible?.includes(cluster.node) ?? true)
    .map((registration): Chosen => {
      const { eligible = unnamed } = registration
      const account = registerDefaults(registration, config.market.source)
      return { account: { ...account, eligible }, registration: { ...registration, eligible } }
    })
  return [...configured, ...registered]
}

function chosen(
  all: readonly Chosen[],
  wanted: readonly string[] | undefined,
): Result<readonly Chosen[], string> {
  if (wanted === undefined) return ok(all)
  const strange = wanted.find((id) => !all.some(({ account }) => account.account_id === id))
  if (strange !== undefined) {
    return err(
      `--account ${strange} 不在配置的 accounts 中，也没有在这个数据目录注册过 (is not among "accounts", and was not registered on this data folder)`,
    )
  }
  return ok(all.filter(({ account }) => wanted.includes(account.account_id)))
}

async function move(moving: Moves): Promise<Result<boolean, string>> {
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
    scope: { kind: 'up' },
    log,
    logs: createLogMemory('error', config.limits.log.thread_lines_max),
    onFatal: (reason) => fatal.reject(new Error(reason)),
    allowFaults: false,
  })
  const kept = new KeptRegistrations({
    records: (request) => system.records(request),
    nowMs: Date.now,
    max: config.limits.accounts_max,
    onUnread: (accountId) => moving.write(`账户 ${maskAccount(accountId)}: ${UNREAD}`),
  })
  let isWhole = true
  try {
    const accounts = chosen(await known(moving, kept), asked.accounts)
    if (!accounts.ok) return accounts
    const limits = inCamelCase(config.limits.examine)
    const soundness = new Soundness({ dataDir: config.data_dir, limits, log })
    soundness.begin(accounts.value.map(({ account }) => account))
    for (const { account, registration } of accounts.value) {
      const mover = new Mover(moving, { account, registration, kept, system })
      const done = moveOne(mover, asked, soundness)
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
  return ok(isWhole)
}

async function moveOne(mover: Mover, asked: Asked, soundness: Soundness): Promise<Told> {
  const damage = await soundness.ofAccount(mover.account)
  if (damage !== undefined) return err(damage.message)
  if (asked.verb === 'join') return mover.join()
  return asked.isLost ? mover.leaveLost() : mover.leave()
}
