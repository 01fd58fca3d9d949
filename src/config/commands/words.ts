import { err, ok, type Result } from '../../domain/result.ts'
import type { Text } from '../../domain/settings/row.ts'
import type { ConfigOptions } from '../load.ts'
import { nearest } from '../suggest.ts'

/** Wrong usage: one line, `中文 (english)`, for standard error; the exit code is 2. */
export interface Wrong {
  readonly kind: 'wrong'
  readonly message: string
}
export const wrong = (message: string): Wrong => ({ kind: 'wrong', message })

/** An option as its help shows it, and what it does. */
export type OptionHelp = readonly [option: string, ...text: Text]
/** Options and their values, as they were given. */
export type Given = ReadonlyMap<string, string>

/** What a command is called with, and what it makes of the words behind its name. */
export interface CommandLine<Asked> {
  readonly usage: string
  readonly text: string
  readonly chinese: string
  /** All that its help lists. */
  readonly options: readonly OptionHelp[]
  /** Pure. */
  readonly read: (words: readonly string[]) => Asked | Wrong
}

const CONFIG_OPTION = {
  '--config': 'configFile',
  '--data-dir': 'dataDir',
  '--log-level': 'logLevel',
} as const satisfies Record<string, keyof ConfigOptions>

export const HELP_OPTION: OptionHelp = ['--help', '本说明', 'this text']
/** Of every command that reads the configuration. */
export const CONFIG_HELP: readonly OptionHelp[] = [
  [
    '--config F',
    '配置文件；缺省为这里的 steward.config.json，没有它时为内置演示',
    'configuration file; else steward.config.json here, else the built-in demo',
  ],
  [
    '--data-dir D',
    '全部数据的文件夹；优先于 STEWARD_HOME 和 data_dir',
    'folder of all data; wins over STEWARD_HOME and data_dir',
  ],
  [
    '--log-level L',
    'debug、info、warn、error 或 silent；优先于 log.level',
    'debug, info, warn, error or silent; wins over log.level',
  ],
]

const isConfigOption = (word: string): word is keyof typeof CONFIG_OPTION =>
  Object.hasOwn(CONFIG_OPTION, word)

/** The name of an option in its help: `--to D` → `--to`. */
export const namesOf = (options: readonly OptionHelp[]): string[] =>
  options.flatMap(([option]) => option.split(' ').slice(0, 1))

/** What the options say about the configuration. */
export function configOptions(given: Given): ConfigOptions {
  const options: Partial<Record<keyof ConfigOptions, string>> = {}
  for (const [name, value] of given) if (isConfigOption(name)) options[CONFIG_OPTION[name]] = value
  return options
}

export const meant = (word: string, known: readonly string[]): Text => {
  const near = nearest(word, known)
  return near === undefined
    ? ['见 steward --help', 'see steward --help']
    : [`是否指 ${near}？`, `did you mean ${near}?`]
}

/** `--config=F` and `--config F` are the same. */
export const splitAssignments = (words: readonly string[]): string[] =>
  words.flatMap((word) => {
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)]
  })

/** Of options that stand alone: `--yes`. */
const GIVEN = 'yes'

/** How the words behind a command are read. */
export interface WordsKnown {
  readonly command: string
  /** Options with a value. */
  readonly known: readonly string[]
  /** Options that stand alone. */
  readonly flags?: readonly string[]
}

/** Options and their values; or what is wrong with them. */
export function readOptions(
  argv: readonly string[],
  { command, known, flags = [] }: WordsKnown,
): Result<Given, Wrong> {
  const given = new Map<string, string>()
  const words = splitAssignments(argv)
  for (let at = 0; at < words.length; at++) {
    const name = words[at] ?? ''
    const isFlag = flags.includes(name)
    if (!isFlag && !known.includes(name)) {
      return err(unknownWord(command, name, [...known, ...flags]))
    }
    if (given.has(name)) return err(wrong(`${name} 写了两次 (${name} is given twice)`))
    const value = isFlag ? GIVEN : valueIn(words[++at])
    if (value === undefined) {
      return err(wrong(needsValue(name, command)))
    }
    given.set(name, value)
  }
  return ok(given)
}

const needsValue = (name: string, command: string): string =>
  `${name} 后面缺少值；见 steward ${command} --help (${name} needs a value; see steward ${command} --help)`

const valueIn = (word = ''): string | undefined =>
  word === '' || word.startsWith('--') ? undefined : word

function unknownWord(command: string, word: string, known: readonly string[]): Wrong {
  if (word === '--account' && !known.includes('--accounts')) {
    return wrong(
      `steward ${command} 用于全部账户，没有 --account；只运行一个账户：steward direct --account 账号 (steward ${command} is for all accounts and takes no --account; one alone is run by steward direct --account ID)`,
    )
  }
  if (!word.startsWith('-')) {
    return wrong(
      `多余的 "${word}"；见 steward ${command} --help (unexpected "${word}"; see steward ${command} --help)`,
    )
  }
  const [zh, en] = meant(word, [...known, '--help'])
  return wrong(`没有选项 "${word}"；${zh} (unknown option "${word}"; ${en})`)
}

/** A first word that is no option is the value of this one. */
export const withName = (option: string, words: readonly string[]): readonly string[] =>
  words[0] === undefined || words[0].startsWith('-') ? words : [option, ...words]

/** A command that reads the configuration. */
interface Configured<Name, Own> {
  readonly name: Name
  readonly usage: string
  readonly text: string
  readonly chinese: string
  /** Besides those that say which configuration. */
  readonly options?: readonly OptionHelp[]
  /** Those of them that take no value. */
  readonly flags?: readonly string[]
  /** The words as options with values. */
  readonly words?: (words: readonly string[]) => readonly string[] | Wrong
  readonly own: (given: Given) => Own | Wrong
}

/** What a command that reads the configuration was asked for. */
export type Run<Name, Own> = Own & {
  readonly kind: 'run'
  readonly command: Name
  readonly options: ConfigOptions
}

const isWrong = (value: object): value is Wrong => Reflect.get(value, 'kind') === 'wrong'

/** A command with options of its own beside those that say which configuration. */
export function configured<const Name extends string, Own extends object>(
  command: Configured<Name, Own>,
): CommandLine<Run<Name, Own>> {
  const { name, options = [], flags = [], own } = command
  const flagless = namesOf([...CONFIG_HELP, ...options]).filter((each) => !flags.includes(each))
  return {
    usage: command.usage,
    text: command.text,
    chinese: command.chinese,
    options: [...options, ...CONFIG_HELP, HELP_OPTION],
    read(argv) {
      const words = command.words?.(argv) ?? argv
      if (isWrong(words)) return words
      const given = readOptions(words, { command: name, known: flagless, flags })
      if (!given.ok) return given.error
      const asked = own(given.value)
      if (isWrong(asked)) return asked
      return { kind: 'run', command: name, ...asked, options: configOptions(given.value) }
    },
  }
}
