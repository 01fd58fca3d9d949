import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Finding, fail, fine, reasonOf, warn } from '../../domain/finding.ts'
import { maskAccount } from '../../domain/mask.ts'
import type { Say } from '../registration.ts'
import type { Heartbeat } from '../terminal/file-line.ts'
import { attachSidecar, SidecarAhead, type SidecarClient } from '../terminal/sidecar-client.ts'
import { accountTypes, type BigqmtMarketConfig } from './config.ts'
import { tellerOf } from './market.ts'
import { ownDigest } from './script-parts.ts'
import {
  type BigqmtAccount,
  type BigqmtLimits,
  type BigqmtSurroundings,
  filesOf,
  hostLimits,
  lineTo,
  OTHER_SCRIPT,
  readToken,
} from './settings.ts'

const PROBE_CODE = '000001.SZ'
const PROBE_MS_MAX = 20_000
/** For a first tick; outside of the sessions none comes. */
const TICK_MS_MAX = 3_000

/** What the doctor looks at: the accounts of this driver, and the market. */
export interface BigqmtExamination {
  readonly dataDir: string
  readonly accounts: readonly BigqmtAccount[]
  /** Undefined when the quotes come from elsewhere. */
  readonly market: BigqmtMarketConfig | undefined
  readonly limits: BigqmtLimits
}

/** Each account's script, from its secret to its reports, then the quotes. Places no order. */
export async function examine(setup: BigqmtExamination, say: Say): Promise<void> {
  const { accounts, market } = setup
  const served = new Set<string>()
  for (const account of accounts) {
    const { findings, isServed } = await examineAccount(setup, account)
    say([...kindFindings(account), ...findings])
    if (isServed) served.add(account.account_id)
  }
  const teller = market && tellerOf({ market, accounts })
  if (teller === undefined) return
  say(await quoteFindings(setup, teller, served.has(teller.account_id)))
}

/** An account that the script can place no orders for; none otherwise. */
function kindFindings({ account_id, account_type }: BigqmtAccount): readonly Finding[] {
  if (isTraded(account_type)) return []
  const text = `${account_type}：脚本不能为这种账户下委托 (the script places no orders for such an account)`
  const mend = `请把 account_type 改为 ${accountTypes.join(' 或 ')} (set account_type to ${accountTypes.join(' or ')})`
  return [fail(`account type ${maskAccount(account_id)}`, text, mend)]
}

const isTraded = (kind: string): boolean => accountTypes.some((each) => each === kind)

interface Examined {
  readonly findings: readonly Finding[]
  /** A service is connected, and must not lose its place to a question. */
  readonly isServed?: boolean
}

const GENERATE =
  '请执行 steward script bigqmt --account 账号，再把文件装入终端 (steward script bigqmt --account ID, then load the file in the terminal)'

async function examineAccount(
  setup: BigqmtSurroundings,
  account: BigqmtAccount,
): Promise<Examined> {
  const name = `script ${maskAccount(account.account_id)}`
  const found = await openScript(setup, account)
  switch (found.kind) {
    case 'untold':
      return { findings: [fail(name, found.text, GENERATE)] }
    case 'served':
      return {
        findings: [
          fine(name, '有应答，未询问：属于服务 (it answers; not asked: it belongs to the service)'),
        ],
        isServed: true,
      }
    case 'away':
      return { findings: [fail(name, found.text, mendOf(account))] }
    case 'met':
  }
  try {
    return {
      findings: [
        versionFinding(name, found.client),
        ...(await tradingFindings(found.client, account)),
      ],
    }
  } finally {
    found.client.close()
  }
}

const mendOf = ({ bigqmt: { transport, port } }: BigqmtAccount): string =>
  transport === 'socket'
    ? `请在终端以实盘运行脚本，端口是否仍为 ${port}？券商禁用网络时把 bigqmt.transport 设为 "files"，见 docs/bigqmt.md (start the script in the terminal, live; is its port still ${port}? Where the broker forbids sockets set bigqmt.transport to "files"; see docs/bigqmt.md)`
    : '请在终端以实盘运行脚本，它须以 bigqmt.transport "files" 和这个文件夹生成，见 docs/bigqmt.md (start the script in the terminal, live; it must have been made with bigqmt.transport "files" and this folder; see docs/bigqmt.md)'

const versionFinding = (name: string, { welcome }: SidecarClient): Finding => {
  const shown = `Python ${welcome.python} in process ${welcome.pid}`
  return welcome.digest === ownDigest() ? fine(name, shown) : warn(name, shown, OTHER_SCRIPT)
}

type Found =
  | { readonly kind: 'met'; readonly client: SidecarClient }
  | { readonly kind: 'served' }
  | { readonly kind: 'away'; readonly text: string }
  | { readonly kind: 'untold'; readonly text: string }

/**
 * As an owner who has been nobody: once the service was there, the script refuses that and tells whether the
 * service is there now. Only where it is not, the doctor comes again as the same owner.
 */
async function openScript(setup: BigqmtSurroundings, account: BigqmtAccount): Promise<Found> {
  let token: string
  try {
    token = readToken(setup.dataDir, account.account_id)
  } catch (error) {
    return { kind: 'untold', text: reasonOf(error) }
  }
  const attach = (epoch: number) =>
    attachSidecar({
      line: lineTo(setup, account, 'trade'),
      role: 'trade',
      token,
      epoch,
      limits: hostLimits(setup.limits),
      onClose: () => undefined,
    })
  try {
    if ((await servedByFiles(setup, account, 'trade')) !== undefined) return { kind: 'served' }
    const client = await attach(0).catch((error: unknown) => {
      if (error instanceof SidecarAhead) return attach(error.epoch)
      throw error
    })
    return { kind: 'met', client }
  } catch (error) {
    const text = reasonOf(error)
    return text.includes('(FENCED)') ? { kind: 'served' } : { kind: 'away', text }
  }
}

/**
 * Who is served over files: a session of ours would sweep the folder of the one that is there. Undefined when
 * nobody is; throws when nothing has beaten there for as long as a script has to greet: a terminal that is busy
 * turns seldom.
 */
async function servedByFiles(
  { dataDir, limits }: BigqmtSurroundings,
  account: BigqmtAccount,
  role: 'trade' | 'market',
): Promise<string | undefined> {
  if (account.bigqmt.transport !== 'files') return undefined
  const folder = filesOf(dataDir, account)
  const { tick_ms: turnMs, handshake_timeout_ms: timeoutMs } = limits.bigqmt
  const endMs = performance.now() + timeoutMs
  let before = heartbeatIn(folder)
  while (performance.now() < endMs) {
    await delay(turnMs)
    const now = heartbeatIn(folder)
    const isBeating = before !== undefined && (now?.n !== before.n || now.life !== before.life)
    if (now !== undefined && isBeating) return now[role] || undefined
    before ??= now
  }
  throw new Error(
    before === undefined
      ? `${folder} 中没有 heartbeat.json (no heartbeat.json in ${folder})`
      : `${folder} 中的 heartbeat.json 没有更新 (heartbeat.json in ${folder} stands still)`,
  )
}

function heartbeatIn(folder: string): Heartbeat | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'heartbeat.json'), 'utf8')) as Heartbeat
  } catch {
    return undefined // none, or just being replaced
  }
}

const rowsText = ({ length }: readonly unknown[]): string => `${length} 行 (${length} rows)`

/** Connects as the service would, asks, and places nothing. */
async function tradingFindings(
  client: SidecarClient,
  { account_id, account_type }: BigqmtAccount,
): Promise<readonly Finding[]> {
  const mend =
    '请用此账号登录终端，并在运行策略的窗口中选择它和它的类型 (log in to the terminal with this account, and choose it and its type (account_type) in the window of the running strategy)'
  const wanted = { account_id, account_type, path: '' }
  const connected = await client.call('connect', wanted, PROBE_MS_MAX)
  if (!connected.ok) return [fail('trading client', connected.error.message, mend)]
  const findings = [
    fine(
      'trading client',
      `账户 ${maskAccount(account_id)} 已登录 (account ${maskAccount(account_id)} is logged in)`,
    ),
  ]
  for (const what of ['asset', 'positions', 'orders', 'deals']) {
    const answer = await client.call('query', { what }, PROBE_MS_MAX)
    const name = `query ${what}`
    if (!answer.ok) findings.push(fail(name, answer.error.message, mend))
    else findings.push(fine(name, rowsText(answer.value['rows'] as unknown[])))
  }
  if (!isTraded(account_type)) return findings
  const canOrder = ['submit', 'cancel', 'barrier'].every((method) =>
    client.welcome.capabilities.includes(method),
  )
  const ready = '就绪，没有发出任何委托 (ready; nothing was sent)'
  return [
    ...findings,
    canOrder ? fine('orders', ready) : fail('orders', '不可用 (not offered)', GENERATE),
  ]
}

const SERVED_QUOTES = fine(
  'quotes',
  '未询问：脚本属于服务 (not asked: the script belongs to the service)',
)

async function quoteFindings(
  setup: BigqmtSurroundings,
  account: BigqmtAccount,
  isServed: boolean,
): Promise<readonly Finding[]> {
  if (isServed) return [SERVED_QUOTES]
  const mend =
    '请登录终端的行情，并以实盘运行脚本 (log in to the terminal with market data, and run the script live)'
  const ticked = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => ticked.resolve(false), TICK_MS_MAX)
  try {
    if ((await servedByFiles(setup, account, 'market')) !== undefined) return [SERVED_QUOTES]
    const client = await attachSidecar({
      line: lineTo(setup, account, 'market'),
      role: 'market',
      token: readToken(setup.dataDir, account.account_id),
      epoch: 0,
      limits: hostLimits(setup.limits),
      onTicks: (codes) => {
        if (codes.includes(PROBE_CODE)) ticked.resolve(true)
      },
      onClose: () => ticked.resolve(false),
    })
    try {
      for (const [method, parameters] of [
        ['connect', {}],
        ['want', { codes: [PROBE_CODE] }],
        ['poll', {}],
      ] as const) {
        const answer = await client.call(method, parameters, PROBE_MS_MAX)
        if (!answer.ok) return [fail('quotes', answer.error.message, mend)]
      }
      if (await ticked.promise)
        return [fine('quotes', `收到 ${PROBE_CODE} 的行情 (a tick of ${PROBE_CODE} was taken)`)]
      return [
        warn(
          'quotes',
          `没有 ${PROBE_CODE} 的行情，当日首次登录前属正常 (no tick of ${PROBE_CODE}; normal before the day's first login)`,
          mend,
        ),
      ]
    } finally {
      client.close()
    }
  } catch (error) {
    return [fail('quotes', reasonOf(error), mendOf(account))]
  } finally {
    clearTimeout(timer)
  }
}
