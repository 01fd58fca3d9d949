import { err, ok, type Result } from '../domain/result.ts'
import { SCOPES, type TokenScope } from '../domain/scope.ts'
import type { ConfigOptions } from './load.ts'
import { nearest } from './suggest.ts'

export type Command =
  | 'up'
  | 'direct'
  | 'gateway'
  | 'check'
  | 'doctor'
  | 'audit'
  | 'backup'
  | 'restore'
  | 'token'
  | 'key'

type ConfiguredCommand = Exclude<Command, 'token' | 'key'>

/** What the user asked for. `wrong` carries one line for standard error; the exit code is 2. */
export type Arguments =
  | {
      readonly kind: 'run'
      readonly command: 'up' | 'gateway' | 'check'
      readonly options: ConfigOptions
    }
  | {
      readonly kind: 'run'
      readonly command: 'direct'
      readonly accountId: string
      readonly options: ConfigOptions
    }
  | {
      readonly kind: 'run'
      readonly command: 'doctor'
      /** Absent: no report is written. */
      readonly reportFile?: string
      readonly options: ConfigOptions
    }
  | {
      readonly kind: 'run'
      readonly command: 'audit'
      /** Absent: every account. */
      readonly accountId?: string
      /** Published heads; absent: `audit.head_file` of the configuration. */
      readonly headsFile?: string
      /** Absent: signatures are not checked. */
      readonly publicKeyFile?: string
      readonly options: ConfigOptions
    }
  | {
      readonly kind: 'run'
      readonly command: 'backup'
      /** Folder that receives the copy. */
      readonly target: string
      readonly options: ConfigOptions
    }
  | {
      readonly kind: 'run'
      readonly command: 'restore'
      /** Folder of the copy. */
      readonly backup: string
      readonly options: ConfigOptions
    }
  | {
      readonly kind: 'run'
      readonly command: 'token'
      readonly asked: TokenAsked
      readonly options: ConfigOptions
    }
  | { readonly kind: 'token'; readonly name: string; readonly scope: TokenScope }
  /** `file` takes the private key. */
  | { readonly kind: 'key'; readonly file: string }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'wrong'; readonly message: string }

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

const COMMANDS: Readonly<Record<Command, readonly [usage: string, text: string, chinese: string]>> =
  {
    up: [
      'steward up [--config F]',
      'one process: the gateway and direct mode of every configured account',
      '一个进程：网关，以及每个已配置账户的直连模式',
    ],
    direct: [
      'steward direct --account ID [--config F]',
      'direct mode of one account, one process per account',
      '单个账户的直连模式，每个账户一个进程',
    ],
    gateway: ['steward gateway [--config F]', 'the gateway only', '仅网关'],
    check: [
      'steward check [--config F]',
      'checks the configuration and prints every setting with its value and source',
      '检查配置，并列出每项设置的生效值及来源',
    ],
    doctor: [
      'steward doctor [--report [F]] [--config F]',
      'looks at Node, folders, ports, clock, Python, xtquant and the trading client; 1 when something is to mend',
      '检查运行环境与交易客户端并给出修复建议；--report 写出脱敏报告；有问题时退出码为 1',
    ],
    audit: [
      'steward audit verify [--account ID] [--heads F] [--public-key F] [--config F]',
      'checks that every audit journal is consistent in itself and with the tables, and with the heads published before; 1 when one is not',
      '逐条校验审计日志自身是否连贯、与数据表及已公布的链头是否一致；不一致时退出码为 1',
    ],
    backup: [
      'steward backup --to D [--config F]',
      'copies every database of the data folder to D, each whole, also while the service runs',
      '备份数据目录中的全部数据库，服务运行时也可执行',
    ],
    restore: [
      'steward restore D [--config F]',
      'puts the databases of the backup D in place of those of the data folder, which is put aside; 1 when D is damaged',
      '用备份 D 恢复数据目录（须先停止服务；原目录改名保留）；下次启动先与交易客户端完整核对',
    ],
    token: [
      'steward token [add --name N [--scope S] [--accounts A,B] [--expires D] | list | revoke --name N] [--config F]',
      'makes, lists and withdraws named tokens; a running service takes it at once. Without a verb it prints an entry for "tokens" of the file',
      '添加、列出、撤销具名令牌，运行中的服务立即生效；不带动词时只给出写入配置文件 tokens 的条目',
    ],
    key: [
      'steward key --to F',
      'makes a key for audit.key_file, which signs the published heads of journals: F, and F.pub that verifies',
      '生成用于签署审计链头的密钥（audit.key_file）：私钥 F，公钥 F.pub',
    ],
  }

const CONFIG_OPTION = {
  '--config': 'configFile',
  '--data-dir': 'dataDir',
  '--log-level': 'logLevel',
} as const satisfies Record<string, keyof ConfigOptions>

const OPTION_HELP: readonly (readonly [option: string, text: string])[] = [
  ['--config F', 'configuration file; else steward.config.json here, else the built-in demo'],
  ['--data-dir D', 'folder of all data; wins over STEWARD_HOME and data_dir'],
  ['--log-level L', 'debug, info, warn, error or silent; wins over log.level'],
  ['--help', 'this text'],
]
const REPORT_FILE = 'steward-report.txt'
const REPORT = `writes what was found into F, default ${REPORT_FILE}, without tokens and numbers`
type OptionHelp = readonly [option: string, text: string]
const OWN_HELP: Partial<Record<Command, readonly OptionHelp[]>> = {
  direct: [['--account ID', 'the account to run (required)']],
  audit: [
    ['--account ID', 'only this account; else every account in the data folder'],
    ['--heads F', 'heads kept out of reach: a head file or a log; else audit.head_file'],
    ['--public-key F', 'counts only heads that this key has signed'],
  ],
  doctor: [['--report [F]', REPORT]],
  backup: [['--to D', 'folder of the copy (required); the copy is run with --data-dir D']],
  restore: [['--from D', 'the folder of the copy, the same as D alone']],
}

const isCommand = (word: string): word is Command => Object.hasOwn(COMMANDS, word)
const isConfigOption = (word: string): word is keyof typeof CONFIG_OPTION =>
  Object.hasOwn(CONFIG_OPTION, word)

/** Of the commands that read no configuration: all their options. */
const PLAIN_HELP: Partial<Record<Command, readonly OptionHelp[]>> = {
  token: [
    ['--name N', 'shown in the audit journal; default token-1'],
    ['--scope S', 'view (default), trade or admin'],
    ['--accounts A,B', 'with add: only these; else all'],
    ['--expires D', 'with add: last day on which it is good, such as 2027-12-31; else no end'],
    ...OPTION_HELP,
  ],
  key: [
    ['--to F', 'file that does not exist yet, outside the data folder (required)'],
    ['--help', 'this text'],
  ],
}

const optionTable = (options: readonly OptionHelp[]): string[] =>
  options.map(([option, text]) => `  ${option.padEnd(15)}${text}`)

/** Help of one command, or of the program. */
export function helpText(command?: Command): string {
  if (command !== undefined) {
    const [usage, text, chinese] = COMMANDS[command]
    const options = optionTable(
      PLAIN_HELP[command] ?? [...(OWN_HELP[command] ?? []), ...OPTION_HELP],
    )
    return [usage, '', `  ${text}`, `  ${chinese}`, '', 'Options', ...options, ''].join('\n')
  }
  const commands = Object.values(COMMANDS).flatMap(([usage, text, chinese]) => [
    `  ${usage}`,
    `      ${text}`,
    `      ${chinese}`,
  ])
  return [
    'steward: a trading account service beside a brokerage trading client',
    '',
    'Commands',
    ...commands,
    '',
    'Options',
    ...optionTable([...OPTION_HELP, ['--version', 'version of this program']]),
    '',
    'Exit codes: 0 normal stop, 1 failure at run time, 2 wrong usage or configuration',
    '',
  ].join('\n')
}

const wrong = (message: string): Arguments => ({ kind: 'wrong', message })
const meant = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known)
  return near === undefined ? 'see steward --help' : `did you mean ${near}?`
}

/** Reads what follows the program name. Pure: prints nothing and ends nothing. */
export function parseArguments(argv: readonly string[]): Arguments {
  const [first, ...rest] = argv
  if (first === undefined) return wrong('no command; try "steward up", or "steward --help"')
  if (first === '--help' || first === '-h') return { kind: 'help', text: helpText() }
  if (first === '--version') return { kind: 'version' }
  if (!isCommand(first)) {
    const kind = first.startsWith('-') ? 'option' : 'command'
    const known = kind === 'option' ? ['--help', '--version'] : Object.keys(COMMANDS)
    return wrong(`unknown ${kind} "${first}"; ${meant(first, known)}`)
  }
  if (rest.includes('--help') || rest.includes('-h')) return { kind: 'help', text: helpText(first) }
  return parseCommand(first, rest)
}

function parseCommand(command: Command, rest: readonly string[]): Arguments {
  if (command === 'token') return isVerb(rest[0]) ? parseTokenVerb(rest) : parseToken(rest)
  if (command === 'key') return parseKey(rest)
  if (command === 'restore') return parseOptions(command, withName('--from', rest))
  if (command === 'doctor') return parseOptions(command, withReportFile(splitAssignments(rest)))
  return command === 'audit' ? parseAudit(rest) : parseOptions(command, rest)
}

/** A first word that is no option is the value of this one. */
const withName = (option: string, words: readonly string[]): readonly string[] =>
  words[0] === undefined || words[0].startsWith('-') ? words : [option, ...words]

/** The one option whose value may be left out. */
const withReportFile = (words: readonly string[]): string[] =>
  words.flatMap((word, at) => {
    const next = words[at + 1] ?? '--'
    return word === '--report' && (next === '' || next.startsWith('--'))
      ? [word, REPORT_FILE]
      : [word]
  })

const isScope = (word: string): word is TokenScope => SCOPES.some((scope) => scope === word)

function parseToken(argv: readonly string[]): Arguments {
  const given = readOptions('token', argv, ['--name', '--scope'])
  if (!given.ok) return given.error
  const name = given.value.get('--name') ?? 'token-1'
  const scope = given.value.get('--scope') ?? 'view'
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(name)) {
    return wrong('--name must be 1 to 32 letters, digits, - or _')
  }
  return isScope(scope) ? { kind: 'token', name, scope } : wrong('--scope is view, trade or admin')
}

const VERBS = ['add', 'list', 'revoke'] as const
type Verb = (typeof VERBS)[number]
const isVerb = (word: string | undefined): word is Verb => VERBS.some((verb) => verb === word)
/** Of each verb, besides those that say which configuration. */
const VERB_OPTIONS: Readonly<Record<Verb, readonly string[]>> = {
  add: ['--name', '--scope', '--accounts', '--expires'],
  list: [],
  revoke: ['--name'],
}

function parseTokenVerb([verb, ...argv]: readonly string[]): Arguments {
  if (!isVerb(verb)) return wrong('steward token add, list or revoke')
  const given = readOptions('token', argv, [...Object.keys(CONFIG_OPTION), ...VERB_OPTIONS[verb]])
  if (!given.ok) return given.error
  const options: Partial<Record<keyof ConfigOptions, string>> = {}
  for (const [name, value] of given.value) {
    if (isConfigOption(name)) options[CONFIG_OPTION[name]] = value
  }
  const asked = (what: TokenAsked): Arguments => ({
    kind: 'run',
    command: 'token',
    asked: what,
    options,
  })
  if (verb === 'list') return asked({ verb })
  const name = given.value.get('--name')
  if (name === undefined) return wrong(`steward token ${verb} needs --name N`)
  if (verb === 'revoke') return asked({ verb, name })
  const scope = given.value.get('--scope') ?? 'view'
  if (!isScope(scope)) return wrong('--scope is view, trade or admin')
  const accounts = (given.value.get('--accounts') ?? '').split(',').filter((id) => id !== '')
  return asked({ verb, name, scope, accounts, expires: given.value.get('--expires') ?? '' })
}

function parseKey(argv: readonly string[]): Arguments {
  const given = readOptions('key', argv, ['--to'])
  if (!given.ok) return given.error
  const file = given.value.get('--to')
  return file === undefined ? wrong('steward key needs --to FILE') : { kind: 'key', file }
}

/** The only command with a verb. */
function parseAudit([verb, ...options]: readonly string[]): Arguments {
  if (verb === 'verify') return parseOptions('audit', options)
  if (verb === undefined || verb.startsWith('-')) {
    return wrong('steward audit needs a verb: steward audit verify')
  }
  return wrong(`unknown command "audit ${verb}"; did you mean audit verify?`)
}

/** `--config=F` and `--config F` are the same. */
const splitAssignments = (words: readonly string[]): string[] =>
  words.flatMap((word) => {
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)]
  })

function parseOptions(command: ConfiguredCommand, argv: readonly string[]): Arguments {
  const own = (OWN_HELP[command] ?? []).flatMap(([option]) => option.split(' ').slice(0, 1))
  const known = [...Object.keys(CONFIG_OPTION), ...own]
  const given = readOptions(command, argv, known)
  return given.ok ? assemble(command, given.value) : given.error
}

/** Options and their values; or what is wrong with them. */
function readOptions(
  command: Command,
  argv: readonly string[],
  known: readonly string[],
): Result<ReadonlyMap<string, string>, Arguments> {
  const given = new Map<string, string>()
  const words = splitAssignments(argv)
  for (let at = 0; at < words.length; at += 2) {
    const [name = '', value = ''] = words.slice(at, at + 2)
    if (!known.includes(name)) return err(unknownWord(command, name, known))
    if (given.has(name)) return err(wrong(`${name} is given twice`))
    if (value === '' || value.startsWith('--')) {
      return err(wrong(`${name} needs a value; see steward ${command} --help`))
    }
    given.set(name, value)
  }
  return ok(given)
}

function unknownWord(command: Command, word: string, known: readonly string[]): Arguments {
  if (word === '--account') return wrong(`--account belongs to steward direct, not to ${command}`)
  if (!word.startsWith('-')) return wrong(`unexpected "${word}"; see steward ${command} --help`)
  return wrong(`unknown option "${word}"; ${meant(word, [...known, '--help'])}`)
}

function assemble(command: ConfiguredCommand, given: ReadonlyMap<string, string>): Arguments {
  const options: Partial<Record<keyof ConfigOptions, string>> = {}
  for (const [name, value] of given) if (isConfigOption(name)) options[CONFIG_OPTION[name]] = value
  if (command === 'audit') return assembleAudit(given, options)
  const accountId = given.get('--account')
  if (command === 'doctor') {
    const reportFile = given.get('--report')
    return { kind: 'run', command, ...(reportFile !== undefined && { reportFile }), options }
  }
  if (command === 'backup' || command === 'restore') return assembleCopy(command, given, options)
  if (command !== 'direct') return { kind: 'run', command, options }
  if (accountId === undefined) return wrong('steward direct needs --account ID')
  return { kind: 'run', command, accountId, options }
}

function assembleCopy(
  command: 'backup' | 'restore',
  given: ReadonlyMap<string, string>,
  options: ConfigOptions,
): Arguments {
  if (command === 'backup') {
    const target = given.get('--to')
    return target === undefined
      ? wrong('steward backup needs --to FOLDER')
      : { kind: 'run', command, target, options }
  }
  const folder = given.get('--from')
  return folder === undefined
    ? wrong('steward restore needs the folder of a backup')
    : { kind: 'run', command, backup: folder, options }
}

function assembleAudit(given: ReadonlyMap<string, string>, options: ConfigOptions): Arguments {
  const accountId = given.get('--account')
  const headsFile = given.get('--heads')
  const publicKeyFile = given.get('--public-key')
  return {
    kind: 'run',
    command: 'audit',
    ...(accountId !== undefined && { accountId }),
    ...(headsFile !== undefined && { headsFile }),
    ...(publicKeyFile !== undefined && { publicKeyFile }),
    options,
  }
}
