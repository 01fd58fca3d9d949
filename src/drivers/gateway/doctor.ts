import { statSync } from 'node:fs'
import { exchangeTime } from '../../domain/exchange-time.ts'
import { type Finding, fail, fine, reasonOf, warn } from '../../domain/finding.ts'
import { maskAccount } from '../../domain/mask.ts'
import type { Say } from '../registration.ts'
import { bodyOf, codeOf, dataOf, wordsOf } from './answers.ts'
import type { GatewayMarketConfig } from './config.ts'
import { PeerApi } from './peer-api.ts'
import { PeerClient } from './peer-client.ts'
import {
  accountThere,
  addressOf,
  clientLimits,
  type GatewayAccount,
  type GatewayLimitsSection,
} from './settings.ts'

const PROBE_CODE = '000001.SZ'
const CLOCK_APART_MS = 5_000
const GROUP_AND_OTHERS = 0o077
const AS_SAID = '请按所述处理 (mend what is said)'

/** What the doctor looks at: the accounts of this driver, and the market. */
export interface GatewayExamination {
  readonly accounts: readonly GatewayAccount[]
  /** Undefined when the quotes come from elsewhere. */
  readonly market: GatewayMarketConfig | undefined
  readonly limits: Pick<GatewayLimitsSection, 'gateway'>
}

/** Each account from its token to its lists, then the quotes. Places no order. */
export async function examine({ accounts, market, limits }: GatewayExamination, say: Say) {
  for (const account of accounts) {
    say(tokenFindings(account.gateway.token_file))
    say(await accountFindings(account, limits))
  }
  if (market === undefined) return
  say(tokenFindings(market.token_file))
  say(await quoteFindings(market, limits))
}

function tokenFindings(file: string): readonly Finding[] {
  const name = 'gateway.token_file'
  if (file === '')
    return [
      warn(
        name,
        '没有设置 (none is configured)',
        '请写明存放令牌的文件 (name the file with the token)',
      ),
    ]
  try {
    const isOpen = process.platform !== 'win32' && (statSync(file).mode & GROUP_AND_OTHERS) !== 0
    return isOpen
      ? [
          warn(
            name,
            `${file} 可被本机其他用户读取 (can be read by others on this computer)`,
            `chmod u=rw,go= ${file}`,
          ),
        ]
      : [fine(name, file)]
  } catch (error) {
    return [
      fail(
        name,
        `${file} 无法读取 (cannot be read (${reasonOf(error)}))`,
        '请把令牌写入这个文件 (write the token into it)',
      ),
    ]
  }
}

async function accountFindings(
  account: GatewayAccount,
  { gateway: limits }: Pick<GatewayLimitsSection, 'gateway'>,
): Promise<readonly Finding[]> {
  const there = accountThere(account)
  const name = `gateway ${maskAccount(there)}`
  let client: PeerClient | undefined
  try {
    client = new PeerClient(addressOf(account.gateway), clientLimits(limits))
    const timeoutMs = limits.request_timeout_ms
    const api = new PeerApi(client, there, {
      requestTimeoutMs: timeoutMs,
      orderTimeoutMs: timeoutMs,
    })
    const status = await api.status()
    if (status.kind === 'lost') {
      const mend =
        '请检查 gateway.url、网络和证书（gateway.ca_file） (check gateway.url, the network and the certificate (gateway.ca_file))'
      return [fail(name, status.message, mend)]
    }
    if (status.status !== 200) return [fail(name, wordsOf(status), mendOf(status.status))]
    const { simulation_mode: simulation } = dataOf(status)
    return [
      fine(name, '已连通，账户存在 (reached, and the account is there)'),
      connectionFinding(dataOf(status)),
      ...(simulation === true ? [simulationFinding(account.gateway.allow_simulation)] : []),
      mannerFinding(await api.manner()),
      await scopeFinding(client, there, timeoutMs),
      await clockFinding(client, there, timeoutMs),
    ]
  } catch (error) {
    return [fail(name, reasonOf(error), AS_SAID)]
  } finally {
    client?.close()
  }
}

const mendOf = (status: number): string =>
  status === 401 || status === 403
    ? '令牌在对方无效，或不含此账户：请在对方用 steward token add 生成 (the token is not good there, or not for this account: make one with "steward token add" there)'
    : '请检查 gateway.account_id：账户在对方的编号 (check gateway.account_id: the id of the account there)'

function connectionFinding(status: Readonly<Record<string, unknown>>): Finding {
  const name = 'trading client there'
  if (status['connected'] === true && status['ready'] !== false)
    return fine(name, '已连接 (connected)')
  return warn(
    name,
    '未连接，或尚未核对 (not connected, or not compared yet)',
    '请查看对方网关 (look at the other gateway)',
  )
}

function simulationFinding(isAllowed: boolean): Finding {
  const text =
    '账户在对方处于模拟模式，委托不会到达券商 (the account there is in simulation mode: orders reach no broker)'
  const mend = '交易前请在对方关闭模拟模式 (switch the simulation mode off there before trading)'
  return isAllowed
    ? warn('simulation mode there', text, mend)
    : fail('simulation mode there', text, mend)
}

function mannerFinding(manner: string | undefined): Finding {
  const name = 'keys of orders there'
  if (manner === 'withdraws')
    return fine(name, '丢失的应答按委托键判定 (an answer that is lost is decided by its key)')
  const text =
    '对方网关不能作废委托键，没有应答的委托须由人工处理 (that gateway knows no keys that can be withdrawn: an order without an answer is for a person)'
  return warn(name, text, '请升级对方网关 (update the other gateway)')
}

/** Asks for something that needs the right to trade, and that nothing follows from. */
async function scopeFinding(
  client: PeerClient,
  there: string,
  timeoutMs: number,
): Promise<Finding> {
  const answer = await client.ask({
    method: 'POST',
    path: `/api/v1/accounts/${there}/orders/queued/cancel`,
    body: { client_order_id: 'doctor-nobodys-key' },
    timeoutMs,
  })
  const name = 'token'
  if (codeOf(answer) === 'UNKNOWN_ORDER') return fine(name, '可以下单 (may trade)')
  const mend = '下单需要 scope 为 trade 的令牌 (for trading the token needs the scope trade)'
  return warn(name, `似乎不能下单 (may not trade, it seems): ${wordsOf(answer)}`, mend)
}

async function clockFinding(
  client: PeerClient,
  there: string,
  timeoutMs: number,
): Promise<Finding> {
  const name = 'clock there'
  const headers = { 'X-Account-Id': there }
  const path = '/api/connection/status'
  const answer = await client.ask({ method: 'GET', path, headers, timeoutMs })
  const told = String(bodyOf(answer)['timestamp'])
  const apartMs = Math.abs(Date.parse(`${told.replace(' ', 'T')}+08:00`) - Date.now())
  if (!Number.isFinite(apartMs))
    return warn(
      name,
      '对方没有给出时间 (it does not say what time it is)',
      '请自行核对 (compare by hand)',
    )
  if (apartMs <= CLOCK_APART_MS) return fine(name, told)
  const here = exchangeTime(Date.now())
  const text = `对方 ${told}，本机 ${here} (${told} there, ${here} here)`
  const mend =
    '请让两台电脑都自动同步时间；对方在回放时另有时钟 (set both clocks by the network; a replay there has a clock of its own)'
  return warn(name, text, mend)
}

async function quoteFindings(
  market: GatewayMarketConfig,
  { gateway: limits }: Pick<GatewayLimitsSection, 'gateway'>,
): Promise<readonly Finding[]> {
  let client: PeerClient | undefined
  try {
    client = new PeerClient(addressOf(market), clientLimits(limits))
    const account = market.account_id === '' ? '' : `&account_id=${market.account_id}`
    const path = `/api/v1/market/tick?stock_codes=${PROBE_CODE}${account}`
    const timeoutMs = limits.request_timeout_ms
    const answer = await client.ask({ method: 'GET', path, timeoutMs })
    if (answer.kind === 'lost' || answer.status !== 200) {
      const mend =
        '请检查 market.url、token_file 和 account_id (check market.url, token_file and account_id)'
      return [fail('quotes there', wordsOf(answer), mend)]
    }
    return dataOf(answer)[PROBE_CODE] === undefined
      ? [
          warn(
            'quotes there',
            `没有 ${PROBE_CODE} 的行情 (no quote of ${PROBE_CODE})`,
            '请查看对方网关的行情 (look at the market of the other gateway)',
          ),
        ]
      : [fine('quotes there', `有 ${PROBE_CODE} 的行情 (${PROBE_CODE} is quoted)`)]
  } catch (error) {
    return [fail('quotes there', reasonOf(error), AS_SAID)]
  } finally {
    client?.close()
  }
}
