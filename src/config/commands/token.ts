import { SCOPES, type TokenScope } from '../../domain/scope.ts'
import {
  CONFIG_HELP,
  type CommandLine,
  configOptions,
  HELP_OPTION,
  namesOf,
  type Run,
  readOptions,
  splitAssignments,
  type Wrong,
  wrong,
} from './words.ts'

/** What is to become of the named tokens. */
export type TokenAsked =
  | {
      readonly verb: 'add'
      readonly name: string
      readonly scope: TokenScope
      readonly accounts: readonly string[]
      readonly expires: string
    }
  | { readonly verb: 'list' }
  | { readonly verb: 'revoke'; readonly name: string }

/** A token that is only shown. */
interface TokenShown {
  readonly kind: 'token'
  readonly name: string
  readonly scope: TokenScope
}
type TokenRun = Run<'token', { readonly asked: TokenAsked }>

const VERBS = ['add', 'list', 'revoke'] as const
type Verb = (typeof VERBS)[number]
const isVerb = (word: string | undefined): word is Verb => VERBS.some((verb) => verb === word)
/** Of each verb, besides those that say which configuration. */
const VERB_OPTIONS: Readonly<Record<Verb, readonly string[]>> = {
  add: ['--name', '--scope', '--accounts', '--expires'],
  list: [],
  revoke: ['--name'],
}

const isScope = (word: string): word is TokenScope => SCOPES.some((scope) => scope === word)

const SCOPE = '--scope 须为 view、trade 或 admin (--scope is view, trade or admin)'

/** With a verb it changes the tokens of a data folder, without one it shows a new token. */
export const token: CommandLine<TokenShown | TokenRun> = {
  usage:
    'steward token [add --name N [--scope S] [--accounts A,B] [--expires D] | list | revoke --name N] [--config F]',
  text: 'makes, lists and withdraws named tokens; a running service takes it at once. Without a verb it prints an entry for "tokens" of the file',
  chinese:
    '添加、列出、撤销具名令牌，运行中的服务立即生效；不带动词时只给出写入配置文件 tokens 的条目',
  options: [
    ['--name N', '记入审计日志的名称；缺省 token-1', 'shown in the audit journal; default token-1'],
    [
      '--scope S',
      'view 只读（缺省）、trade 可下单、admin 可改设置',
      'view (default), trade or admin',
    ],
    ['--accounts A,B', '与 add 同用：只限这些账户；缺省为全部', 'with add: only these; else all'],
    [
      '--expires D',
      '与 add 同用：最后有效日，如 2027-12-31；缺省永久有效',
      'with add: last day on which it is good, such as 2027-12-31; else no end',
    ],
    ...CONFIG_HELP,
    HELP_OPTION,
  ],
  read: ([verb, ...rest]) =>
    isVerb(verb) ? readVerb(verb, rest) : readShown(verb === undefined ? [] : [verb, ...rest]),
}

/** Of all verbs together. */
const BEHIND_VERB: readonly string[] = [...namesOf(CONFIG_HELP), '--accounts', '--expires']

function readShown(argv: readonly string[]): TokenShown | Wrong {
  const early = splitAssignments(argv).find((word) => BEHIND_VERB.includes(word))
  if (early !== undefined) {
    return wrong(
      `${early} 写在 add、list 或 revoke 之后 (${early} stands behind add, list or revoke)`,
    )
  }
  const given = readOptions(argv, { command: 'token', known: ['--name', '--scope'] })
  if (!given.ok) return given.error
  const name = given.value.get('--name') ?? 'token-1'
  const scope = given.value.get('--scope') ?? 'view'
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(name)) {
    return wrong(
      '--name 须为 1 至 32 个字母、数字、- 或 _ (--name must be 1 to 32 letters, digits, - or _)',
    )
  }
  return isScope(scope) ? { kind: 'token', name, scope } : wrong(SCOPE)
}

function readVerb(verb: Verb, argv: readonly string[]): TokenRun | Wrong {
  const known = [...namesOf(CONFIG_HELP), ...VERB_OPTIONS[verb]]
  const given = readOptions(argv, { command: 'token', known })
  if (!given.ok) return given.error
  const options = configOptions(given.value)
  const asked = (what: TokenAsked): TokenRun => ({
    kind: 'run',
    command: 'token',
    asked: what,
    options,
  })
  if (verb === 'list') return asked({ verb })
  const name = given.value.get('--name')
  if (name === undefined)
    return wrong(`steward token ${verb} 需要 --name 名称 (steward token ${verb} needs --name N)`)
  if (verb === 'revoke') return asked({ verb, name })
  const scope = given.value.get('--scope') ?? 'view'
  if (!isScope(scope)) return wrong(SCOPE)
  const accounts = (given.value.get('--accounts') ?? '').split(',').filter((id) => id !== '')
  return asked({ verb, name, scope, accounts, expires: given.value.get('--expires') ?? '' })
}
