import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Finding, fail, fine, reasonOf, warn } from '../../domain/finding.ts'
import { maskAccount } from '../../domain/mask.ts'
import type { Say } from '../registration.ts'
import type { WireReport } from '../terminal/frames.ts'
import type { SidecarLog } from '../terminal/launched.ts'
import { askForQuote, HeardTicks, quoteFinding } from '../terminal/quote-finding.ts'
import { leftOutOf } from '../terminal/rows.ts'
import { attachSidecar, type SidecarClient } from '../terminal/sidecar-client.ts'
import { SidecarHost, type Whereabouts } from '../terminal/sidecar-host.ts'
import type { XtMarketConfig } from './config.ts'
import { askPython, type PythonAnswer } from './python-probe.ts'
import { queueFilesFinding } from './queue-files.ts'
import { removeSessionFiles } from './session-files.ts'
import {
  isHere,
  marketPlan,
  pythonOf,
  type SidecarPlan,
  whereaboutsOf,
  type XtAccount,
  type XtLimits,
  type XtSettings,
  xtquantPathOf,
  xtSettings,
} from './settings.ts'

const PROBE_CODE = '000001.SZ'
const PROBE_MS_MAX = 20_000
/** Epochs of owners begin with 0. */
const BEFORE_ALL = -1
/** What is wrong is among the findings. */
const nothing = () => undefined
const ELSEWHERE =
  '仅当 sidecar 与终端在另一台电脑上时正常：那里必须有这个目录 (as it should be only where sidecar and terminal are on another computer, which must have this folder)'
const START_IT =
  '请在登录桌面的用户下启动 bridge.py，并检查 attach 与 token_file，见 docs/windows-client.md 第五节 (start bridge.py in the session of the desktop, and check attach and token_file; see docs/windows-client.md)'
const SILENT: SidecarLog = { info: nothing, warn: nothing, error: nothing }
const PYTHON_MINORS = { least: 8, most: 13 } as const

/** What the doctor looks at: the accounts of this driver, and the market. */
export interface XtExamination {
  readonly dataDir: string
  readonly accounts: readonly XtAccount[]
  /** Undefined when the quotes come from elsewhere. */
  readonly market: XtMarketConfig | undefined
  readonly limits: XtLimits
}

/** Each account from its folder to its reports, then the quotes. Places no order. */
export async function examine(setup: XtExamination, say: Say): Promise<void> {
  const { accounts, market } = setup
  for (const account of accounts) {
    const settings = xtSettings(setup, account)
    const { qmt_path: clientPath } = account
    const path = pathFinding(`qmt_path ${maskAccount(account.account_id)}`, clientPath, settings)
    say(existsSync(clientPath) ? [path, queueFilesFinding(clientPath)] : [path])
    const python = await pythonFindings(settings.plan)
    say(python)
    if (python.every(({ status }) => status === 'ok')) {
      say(await tradingFindings(account.account_id, settings))
    }
  }
  if (market === undefined) return
  const plan = marketPlan(setup, market, accounts)
  const python = accounts.length > 0 ? [] : await pythonFindings(plan)
  say(python)
  say(await quoteFindings(plan))
  if (isHere(plan)) say([await historyFinding(plan)])
}

/** Tables of the library need packages that are no part of it; trading does not. */
async function historyFinding(plan: SidecarPlan): Promise<Finding> {
  const name = 'history'
  const python = pythonOf(plan.sidecar)
  const mend = `"${python}" -m pip install numpy pandas；没有它们只是没有历史行情，其余照常 (without them there is no history, and everything else works)`
  const probe = await askPython(python, xtquantPathOf(plan), PROBE_MS_MAX, true)
  if ('text' in probe) return warn(name, `${python}: ${probe.text}`, probe.mend)
  const needed = Object.entries(probe.history ?? {})
  const texts = needed.map(([each, { version, error }]) => `${each} ${version ?? `(${error})`}`)
  const isWhole = needed.every(([, { error }]) => error === undefined)
  return isWhole ? fine(name, texts.join(', ')) : warn(name, texts.join(', '), mend)
}

function pathFinding(name: string, clientPath: string, { plan }: XtSettings): Finding {
  const mend =
    '请把 qmt_path 设为终端的 userdata_mini 目录（完整版为 userdata），本用户须能写入 (set qmt_path to the folder userdata_mini of the terminal (userdata for the full client), writable by this user)'
  if (!existsSync(clientPath)) {
    const text = `${clientPath} 不存在 (does not exist)`
    // It is the sidecar that looks there.
    return plan.sidecar.attach === '' ? fail(name, text, mend) : warn(name, text, ELSEWHERE)
  }
  try {
    accessSync(clientPath, constants.R_OK | constants.W_OK)
  } catch (error) {
    return fail(name, `${clientPath} 无法写入 (cannot be written (${reasonOf(error)}))`, mend)
  }
  const isNamed = /^userdata(_mini)?$/i.test(basename(clientPath))
  return isNamed
    ? fine(name, clientPath)
    : warn(name, `${clientPath} 名称不常见 (has an unusual name)`, mend)
}

/** Interpreter and library; with a sidecar started by hand they are not ours to look at. */
async function pythonFindings(plan: SidecarPlan): Promise<readonly Finding[]> {
  if (plan.sidecar.attach !== '') {
    return [
      fine(
        'python',
        `手工启动的 sidecar：${plan.sidecar.attach} (a sidecar started by hand, at ${plan.sidecar.attach})`,
      ),
    ]
  }
  const python = pythonOf(plan.sidecar)
  const probe = await askPython(python, xtquantPathOf(plan), PROBE_MS_MAX)
  if ('text' in probe) return [fail('python', `${python}: ${probe.text}`, probe.mend)]
  return [pythonFinding(python, probe), xtquantFinding(probe)]
}

function pythonFinding(python: string, { python: version, bits }: PythonAnswer): Finding {
  const [major, minor = 0] = version.split('.').map(Number)
  const isKnown = major === 3 && minor >= PYTHON_MINORS.least && minor <= PYTHON_MINORS.most
  const shown = `${python}: ${version}, ${bits} bit`
  if (isKnown && bits === 64) return fine('python', shown)
  return fail(
    'python',
    shown,
    'xtquant 需要 64 位 Python 3.8 至 3.13 (xtquant needs 64-bit Python 3.8 to 3.13)',
  )
}

function xtquantFinding({ xtquant, error }: PythonAnswer): Finding {
  const mend =
    "请用终端自带的那一份：终端完整时把 xt.xtquant_path 留空，或指明含有 xtquant 的目录，且须与此 Python 版本一致 (install the terminal's own copy: leave xt.xtquant_path empty beside a whole terminal, or name the folder that holds xtquant (bin.x64\\Lib\\site-packages), for this version of Python)"
  if (error !== undefined || xtquant === undefined)
    return fail('xtquant', error ?? '缺少 (missing)', mend)
  return fine('xtquant', `${xtquant.version} in ${xtquant.path}`)
}

/** Connects as the service would, asks, and places nothing. */
async function tradingFindings(
  accountId: string,
  { plan, accountType, clientPath }: XtSettings,
): Promise<readonly Finding[]> {
  const wanted = { account_id: accountId, account_type: accountType, path: clientPath }
  return withSidecar(plan, async (client) => {
    const mend =
      '请以极简模式启动并登录终端，检查 account_id 与 account_type (start the terminal in minimal mode, log in, and check account_id and account_type)'
    const connected = await client.call('connect', wanted, PROBE_MS_MAX)
    if (!connected.ok) return [fail('trading client', connected.error.message, mend)]
    const findings = [fine('trading client', '已连接，已订阅推送 (connected, pushes subscribed)')]
    for (const what of ['asset', 'positions', 'orders', 'deals']) {
      const answer = await client.call('query', { what }, PROBE_MS_MAX)
      const name = `query ${what}`
      if (!answer.ok) findings.push(fail(name, answer.error.message, mend))
      else findings.push(reportFinding(name, answer.value as unknown as WireReport))
    }
    const canOrder = ['submit', 'cancel'].every((method) =>
      client.welcome.capabilities.includes(method),
    )
    const ready = '就绪，没有发出任何委托 (ready; nothing was sent)'
    return [
      ...findings,
      canOrder ? fine('orders', ready) : fail('orders', '不可用 (not offered)', mend),
    ]
  })
}

function reportFinding(name: string, report: WireReport): Finding {
  const shown = `${report.rows.length} 行 (${report.rows.length} rows)`
  const leftOut = leftOutOf(report)
  if (leftOut.length === 0) return fine(name, shown)
  const mend =
    '请重启或更新终端；在此之前不据此清单认定任何持仓、委托已不存在，略去的也不交易 (restart or update the terminal; until then nothing is taken for gone by this list, and what is left out is not traded)'
  return warn(name, `${shown}；读不出 (cannot be read): ${leftOut.join('; ')}`, mend)
}

async function quoteFindings(plan: SidecarPlan): Promise<readonly Finding[]> {
  const mend =
    '登录终端时请勾选行情；有多个终端时设置 market.quote_port (tick market data when logging in to the terminal; with several terminals set market.quote_port)'
  const heard = new HeardTicks()
  return withSidecar(
    plan,
    async (client) => {
      const connected = await client.call('connect', {}, PROBE_MS_MAX)
      if (!connected.ok) return [fail('quotes', connected.error.message, mend)]
      const wanted = { code: PROBE_CODE, timeoutMs: PROBE_MS_MAX }
      const quoted = await askForQuote(client, heard, wanted)
      if (typeof quoted === 'string') return [fail('quotes', quoted, mend)]
      return [quoteFinding(quoted, Date.now(), mend)]
    },
    heard,
  )
}

/**
 * Whoever connects takes over, and the service, if it runs, must not lose its sidecar to a question. So it is asked as an
 * owner before all others, whom it refuses once it knows the token.
 */
async function attachedFinding(
  { sidecar, limits }: SidecarPlan,
  { line, token }: Extract<Whereabouts, { kind: 'attach' }>,
): Promise<Finding> {
  try {
    const options = { line, token: token(), epoch: BEFORE_ALL, limits, onClose: nothing }
    const client = await attachSidecar(options)
    client.close()
  } catch (error) {
    const text = reasonOf(error)
    if (!text.includes('(FENCED)')) return fail('sidecar', text, START_IT)
  }
  return fine(
    'sidecar',
    `有应答，未询问：属于服务 (it answers at ${sidecar.attach}; not asked: it belongs to the service)`,
  )
}

async function withSidecar(
  plan: SidecarPlan,
  ask: (client: SidecarClient) => Promise<readonly Finding[]>,
  heard?: HeardTicks,
): Promise<readonly Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-doctor-'))
  const whereabouts = whereaboutsOf({ ...plan, folder }, [])
  const host = new SidecarHost({ whereabouts, limits: plan.limits, log: SILENT })
  if (heard !== undefined) host.listen({ ticks: heard.ticks, closed: nothing })
  try {
    if (whereabouts.kind === 'attach') return [await attachedFinding(plan, whereabouts)]
    return await ask(await host.open(0))
  } catch (error) {
    return [
      fail(
        'sidecar',
        reasonOf(error),
        '请先处理 python 与 xtquant 的问题 (mend what is said about python and xtquant first)',
      ),
    ]
  } finally {
    host.close()
    removeSessionFiles(plan.clientPath, folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}
