import type { AccountType } from '../domain/account-type.ts'
import type { DriverName } from './drivers.ts'

/** What a new configuration is made of. */
export interface NewConfig {
  readonly driver: DriverName
  readonly accounts: readonly {
    readonly accountId: string
    readonly type: AccountType
    readonly clientPath: string
  }[]
  /** Interpreter for the sidecar; empty: the one on the search path. */
  readonly python: string
  readonly dataDir: string
  /** Hash of a token that lets other computers in; absent: only this computer is answered. */
  readonly tokenHash?: string
}

const NAME = 'owner'

/** The text of a configuration file, commented in both languages. Pure; whoever writes it has it checked first. */
export function newConfigText({ driver, accounts, python, dataDir, tokenHash }: NewConfig): string {
  const rows = accounts.map((account, index) => accountText(account, { driver, python, index }))
  return `// Steward 的配置，由 steward init 生成。改动后请执行 steward check 检查，重启服务生效。
// The configuration of Steward, made by steward init. After a change: steward check, then start it again.
{
  // 账户数据、日志所在的目录（本机硬盘，不要放在同步盘或网络盘）；相对路径从启动时所在目录算起
  // Folder of all data and logs: on a disk of this computer that nothing synchronizes. A relative one counts from where Steward is started.
  "data_dir": ${json(dataDir)},

  // 账户：每个账户一项，顺序决定直连端口（5000、5001……）
  // Accounts: one entry each; their order gives the direct ports (5000, 5001 …).
  "accounts": [
${rows.join(',\n')}
  ],

${driver === 'paper' ? SIMULATED_MARKET : realMarket(driver)}${tokenHash === undefined ? NO_TOKEN : tokenText(tokenHash)}
}
`
}

const json = (value: unknown): string => JSON.stringify(value)
/** As people write paths in such a file: no doubled backslashes. */
const path = (text: string): string => json(text.replaceAll('\\', '/'))

/** The first port on which a script listens; each account has one of its own. */
const FIRST_PORT = 58_800

function accountText(
  account: NewConfig['accounts'][number],
  { driver, python, index }: { driver: DriverName; python: string; index: number },
): string {
  const own: Partial<Record<DriverName, readonly string[]>> = {
    xt: python === '' ? [] : [`"xt": { "python": ${path(python)} }`],
    bigqmt: [`"bigqmt": { "port": ${FIRST_PORT + index} }`],
    paper: ['"paper": { "cash": 1000000 }'],
  }
  const lines = [
    `"account_id": ${json(account.accountId)}`,
    `"account_type": ${json(account.type)}`,
    `"qmt_path": ${account.clientPath === '' ? json(driver) : path(account.clientPath)}`,
    `"driver": ${json(driver)}`,
    ...(own[driver] ?? []),
  ]
  return `    {\n${lines.map((line) => `      ${line}`).join(',\n')}\n    }`
}

const realMarket = (
  driver: DriverName,
): string => `  // 行情来自交易客户端 · Quotes come from the trading client.
  "market": { "source": ${json(driver)} },

  "strategy": {
    // 模拟模式：策略只在本地模拟成交，不发出真实委托。核对无误后再改为 false。
    // Simulation mode: strategies trade on paper and nothing is sent. Set it to false when you are sure.
    "ENABLE_SIMULATION_MODE": true
  }`

const SIMULATED_MARKET = `  // 模拟行情，随时可以试用 · A simulated market, open at all times.
  "market": { "source": "simulated" }`

const NO_TOKEN = `

  // 没有令牌：只有本机可以访问。要让其他电脑访问，先执行 steward token add --name N --scope view
  // No token: only this computer is answered. To let others in: steward token add --name N --scope view`

const tokenText = (hash: string): string => `,

  // 令牌只存摘要；令牌本身在生成时显示过一次。撤销：steward token revoke --name ${NAME}
  // Of the token only its hash is kept; the token was shown once. To withdraw it: steward token revoke --name ${NAME}
  "tokens": [
    { "name": ${json(NAME)}, "hash": ${json(hash)}, "scope": "admin" }
  ]`
