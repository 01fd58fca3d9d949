import { posix, win32 } from 'node:path'
import { contradictionsOf } from '../domain/settings/contradictions.ts'
import { gridRows } from '../domain/settings/grid.ts'
import { clusterWarnings } from './cluster-rules.ts'
import { DRIVERS } from './drivers.ts'
import { healthWarnings } from './health-looks.ts'
import { type Config, isLoopback } from './schema.ts'
import { tokenWarnings } from './tokens.ts'

const TOKEN_LENGTH_GOOD = 32

type Warned = Pick<Config, 'direct' | 'gateway' | 'tokens' | 'accounts' | 'strategy'> &
  Partial<Pick<Config, 'data_dir' | 'cluster' | 'limits' | 'log'>> & {
    /** Named tokens that let anybody in, those of `steward token add` too; absent: those of the file. */
    readonly named?: readonly Config['tokens'][number][]
  }

const hasNamed = ({ tokens, named = tokens }: Warned): boolean => named.length > 0

/** What no exit comes to, as the settings stand together. */
function contradictions({ strategy }: Warned): string[] {
  const exits = {
    stopLossRatio: strategy.STOP_LOSS_RATIO,
    isBuying: strategy.ENABLE_STOP_LOSS_BUY,
    addLevel: strategy.BUY_GRID_LEVELS[1],
    firstProfitRatio: strategy.INITIAL_TAKE_PROFIT_RATIO,
    pullbackRatio: strategy.INITIAL_TAKE_PROFIT_PULLBACK_RATIO,
  }
  return contradictionsOf(exits).map(({ text }) => text)
}

/** What a template has, too: every account has one for each risk level, and a start goes by it. */
const OF_TEMPLATES = [
  'GRID_DEFAULT_PRICE_INTERVAL',
  'GRID_DEFAULT_POSITION_RATIO',
  'GRID_CALLBACK_RATIO',
  'GRID_MAX_DEVIATION_RATIO',
  'GRID_TARGET_PROFIT_RATIO',
  'GRID_STOP_LOSS_RATIO',
  'GRID_DEFAULT_DURATION_DAYS',
] as const

/** An exit that was set here and is not that of the sessions would be found out by a loss. */
function besideTemplates({ strategy }: Warned): string[] {
  return OF_TEMPLATES.filter((name) => strategy[name] !== gridRows[name].default).map(
    (name) =>
      `strategy.${name} ${strategy[name]} 只是新建网格表单的初值；启动时不带此值的网格按其风险档的模板，请改模板，或启动时带上此值 (strategy.${name} ${strategy[name]} only fills the form of a new grid: one that is started without this value takes it from the template of its risk level; change the template, or send the value with the start)`,
  )
}

/** Without a token nobody is answered there: who a proxy speaks for cannot be told. */
function unusedProxyPorts(config: Warned): string[] {
  const { direct, gateway } = config
  const idle = (key: string, variable: string) =>
    `设置了 ${key} 而没有令牌，由它进来的都会被拒绝，请设置 ${variable} (${key} is set and there is no token: who comes by it is refused; set ${variable})`
  const isOpen = (token: string): boolean => token !== '' || hasNamed(config)
  return [
    ...(gateway.proxy_port === 0 || isOpen(gateway.api_token)
      ? []
      : [idle('gateway.proxy_port', 'GW_API_TOKEN')]),
    ...(direct.proxy_base_port === 0 || isOpen(direct.api_token)
      ? []
      : [idle('direct.proxy_base_port', 'SVC_API_TOKEN')]),
  ]
}

/** On Windows nothing can be written to such a folder below `data_dir` at all. */
function logElsewhere({ log }: Warned): string[] {
  const folder = log?.folder ?? ''
  if (!posix.isAbsolute(folder) && !win32.isAbsolute(folder)) return []
  return [
    `log.folder ${folder} 会被当作 data_dir 内的文件夹；请写名称，例如 "logs"，不写文件则写 "" (log.folder ${folder} is taken for a folder inside data_dir; write a name such as "logs", or "" for no files)`,
  ]
}

/** What shells replace by a folder, as a name of one: `--data-dir=~/data`, a line of `.env` or of systemd, the file. */
const UNREPLACED = /[\\/](~|\$\{?\w+\}?|%\w+%)(?=[\\/]|$)/

/** The same command in a shell that replaces it finds another folder, without any of the accounts' data. */
function unreplaced({ data_dir: dataDir = '' }: Warned): string[] {
  const [, sign] = UNREPLACED.exec(dataDir) ?? []
  if (sign === undefined) return []
  return [
    `data_dir ${dataDir}: ${sign} 没有展开，数据会放在名为 ${sign} 的文件夹里；请写完整路径，已有的数据先移过去 (${sign} was not replaced, and the data lies in a folder of that very name: write the whole path, and move there what there is already)`,
  ]
}

/** Whose orders would all be refused, a stop too. */
function untraded({ accounts }: Warned): string[] {
  return accounts.flatMap(({ driver, account_type: kind }, index) => {
    const { accountTypes } = DRIVERS[driver]
    if (accountTypes === undefined || accountTypes.includes(kind)) return []
    const which = `accounts[${index}].account_type`
    return [
      `${which} 是 ${kind}，驱动 "${driver}" 不能为它下委托，请改为 ${accountTypes.join(' 或 ')} (${which} is ${kind}, for which the driver "${driver}" places no orders; set it to ${accountTypes.join(' or ')})`,
    ]
  })
}

/** Nothing here is a refusal: the operator decides. `today` is a day in Asia/Shanghai. */
export function warnings(config: Warned, today: string): string[] {
  const { direct, gateway } = config
  const found: string[] = [
    ...untraded(config),
    ...contradictions(config),
    ...healthWarnings(config.strategy),
    ...besideTemplates(config),
    ...logElsewhere(config),
    ...unreplaced(config),
    ...tokenWarnings(config, today),
    ...clusterWarnings(config),
  ]
  const { host, api_token: gatewayToken } = gateway
  const isOpen = !isLoopback(host)
  if (isOpen && gatewayToken === '' && !hasNamed(config)) {
    found.push(
      `gateway.host ${host} 对网络开放而没有令牌，只应答本机；要让其他电脑访问请设置 GW_API_TOKEN (gateway.host ${host} is open to the network and there is no token: only callers on this computer are answered; set GW_API_TOKEN to admit others)`,
    )
  }
  if (isOpen && gatewayToken !== '' && gatewayToken.length < TOKEN_LENGTH_GOOD) {
    found.push(
      `gateway.api_token 只有 ${gatewayToken.length} 个字符，而 gateway.host ${host} 对网络开放，请用 ${TOKEN_LENGTH_GOOD} 个以上随机字符 (gateway.api_token has ${gatewayToken.length} characters and gateway.host ${host} is open to the network; use ${TOKEN_LENGTH_GOOD} random ones or more)`,
    )
  }
  if (isOpen && (gatewayToken !== '' || hasNamed(config)) && gateway.ssl_certfile === '') {
    found.push(
      `gateway.host ${host} 对网络开放而没有 HTTPS，令牌会明文传送；请设置 ssl_certfile 与 ssl_keyfile，或在前面放代理 (gateway.host ${host} is open to the network without HTTPS: tokens travel in clear text; set ssl_certfile and ssl_keyfile, or put a proxy before it)`,
    )
  }
  found.push(...unusedProxyPorts(config))
  if (gateway.rate_limit === 0) {
    found.push(
      'gateway.rate_limit 是 0，请求不受限制 (gateway.rate_limit is 0: requests are not limited)',
    )
  }
  if (direct.public_mode) {
    found.push(
      'WEB_PUBLIC_MODE 已打开，直连模式拒绝所有 /api 请求 (WEB_PUBLIC_MODE is on: direct mode refuses every /api request)',
    )
  }
  return found
}
