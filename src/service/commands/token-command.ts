import { createHash, randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import type { TokenAsked } from '../../config/arguments.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { type Config, isLoopback } from '../../config/schema.ts'
import {
  changeTokenFile,
  goodTokens,
  readTokenFile,
  type TokenFile,
  type TokenRefusal,
  tokenFileOf,
  withoutToken,
  withToken,
} from '../../config/token-file.ts'
import { type NamedToken, tokenSchema } from '../../config/tokens.ts'
import { exchangeDay } from '../../domain/exchange-time.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { flush } from '../../storage/flushed.ts'
import { registeredAccounts } from '../accounts/unnamed-accounts.ts'
import { openDataFolder } from '../data/data-folder.ts'

/** 192 random bits, and the hash by which they are known. */
export function newSecret(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(24).toString('base64url')
  return { token, hash: `sha256:${createHash('sha256').update(token).digest('hex')}` }
}

/** Which accounts of a token that is to be made were registered at run time; none where all are configured. */
export async function registeredFor(
  config: Config,
  command: TokenAsked,
): Promise<readonly string[]> {
  const isUnconfigured = command.verb === 'add' && unconfigured(config, command.accounts).length > 0
  return (isUnconfigured && (await registeredAccounts(config))) || []
}

const unconfigured = ({ accounts }: Config, named: readonly string[]): readonly string[] =>
  named.filter((id) => !accounts.some((each) => each.account_id === id))

const wrong = (text: string) => err<TokenRefusal>({ text, isWrong: true })

/** Text for standard output. */
export function carryOut(
  { config, settings }: Pick<LoadedConfig, 'config' | 'settings'>,
  command: TokenAsked,
  registered: readonly string[] = [],
): Result<string, TokenRefusal> {
  if (command.verb === 'list') return list(config)
  const folder = openDataFolder(config.data_dir)
  if (!folder.ok) return wrong(folder.error)
  const doer = { by: `steward token/${userName()}`, timeMs: Date.now() }
  const configured = config.tokens
  if (command.verb === 'revoke') {
    const { name } = command
    const done = changeTokenFile(
      config.data_dir,
      (file) => withoutToken(file, { name, configured }, doer),
      flush,
    )
    return done.ok ? ok(revokedText(config, { name, file: done.value })) : done
  }
  const { token, hash } = newSecret()
  const { name, scope, accounts, expires } = command
  const parsed = tokenSchema.safeParse({ name, hash, scope, accounts, expires })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return wrong(`--${String(issue?.path[0])} ${issue?.message}`)
  }
  // As the first one it would shut out everybody, and open for nobody.
  if (expires !== '' && expires < exchangeDay(Date.now()))
    return wrong(`--expires ${expires} 已经过去 (that day is over: nobody could use the token)`)
  const strange = unconfigured(config, accounts).filter((id) => !registered.includes(id))
  const done = changeTokenFile(
    config.data_dir,
    (file) => withToken(file, { token: parsed.data, configured }, doer),
    flush,
  )
  const isOpenedLater = isClosedByDefault(config, settings)
  return done.ok ? ok(addedText(token, { config, name, strange, isOpenedLater })) : done
}

interface Added {
  readonly config: Config
  readonly name: string
  readonly strange: readonly string[]
  readonly isOpenedLater: boolean
}

/** While there was no token nobody chose an address for the gateway: it is this computer's own until the next start. */
const isClosedByDefault = ({ gateway }: Config, settings: LoadedConfig['settings']): boolean =>
  isLoopback(gateway.host) &&
  settings.some(({ path, source }) => path === 'gateway.host' && source === 'default')

function addedText(token: string, { config, name, strange, isOpenedLater }: Added): string {
  return [
    '令牌，只显示这一次 (the token, shown this once):',
    `  ${token}`,
    `已写入摘要，运行中的服务立即生效 (its digest is in ${tokenFileOf(config.data_dir)}; a running service takes it at once)`,
    `撤销 (to withdraw it): steward token revoke --name ${name}`,
    ...(strange.length > 0
      ? [`注意：既未配置也未注册的账户 (no such account): ${strange.join(', ')}`]
      : []),
    ...(isOpenedLater
      ? [
          `注意：网关目前只在本机（${config.gateway.host}）应答，重启服务后其他电脑才能连上 (the gateway of a service that runs listens on ${config.gateway.host} only: start it anew, then other computers reach it)`,
        ]
      : []),
    ...(config.direct.api_token === '' && config.gateway.api_token === ''
      ? [
          '注意：从现在起每个请求都需要令牌，本机也不例外 (from now on every request needs a token, also on this computer)',
        ]
      : []),
    '',
  ].join('\n')
}

function revokedText(
  { tokens }: Config,
  { name, file }: { name: string; file: TokenFile },
): string {
  const left = tokens.filter(({ hash }) => file.revoked.includes(hash)).map((each) => each.name)
  return [
    `令牌 ${name} 已撤销，运行中的服务立即生效 (withdrawn; a running service refuses it at once, and ends its event streams)`,
    ...(left.length > 0
      ? [
          `已撤销而仍写在配置文件的 "tokens" 中，请一并删除：${left.join('、')} (withdrawn, and still in "tokens" of the file: remove there too: ${left.join(', ')})`,
        ]
      : []),
    '',
  ].join('\n')
}

function list({ data_dir, tokens }: Config): Result<string, TokenRefusal> {
  const file = readTokenFile(data_dir)
  if (!file.ok) return err({ text: file.error, isWrong: false })
  const good = goodTokens(tokens, file.value)
  const today = exchangeDay(Date.now())
  const rows = [
    ...good.map((token) => rowOf(token, isFrom(file.value, token), stateOf(token, today))),
    ...tokens
      .filter((token) => !good.includes(token))
      .map((token) => rowOf(token, 'file', 'revoked')),
  ]
  if (rows.length === 0) return ok('没有具名令牌 (no named tokens)\n')
  const widths = [0, 1, 2, 3, 4].map((at) =>
    Math.max(...[HEAD, ...rows].map((row) => row[at]?.length ?? 0)),
  )
  const lines = [HEAD, ...rows].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return ok(`${lines.join('\n')}\n`)
}

const HEAD = ['name', 'scope', 'accounts', 'state', 'from'] as const

const rowOf = ({ name, scope, accounts }: NamedToken, from: string, state: string) =>
  [name, scope, accounts.length === 0 ? 'all' : accounts.join(','), state, from] as const

const isFrom = (file: TokenFile | undefined, token: NamedToken): string =>
  file?.tokens.includes(token) === true ? 'steward token' : 'file'

function stateOf({ expires }: NamedToken, today: string): string {
  if (expires === '') return 'good'
  return expires < today ? `expired ${expires}` : `until ${expires}`
}

/** A system without a name for its user still has one who is responsible. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}
