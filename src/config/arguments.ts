import { COMMANDS, type Command, isCommand } from './commands/table.ts'
import {
  CONFIG_HELP,
  HELP_OPTION,
  meant,
  type OptionHelp,
  type Wrong,
  wrong,
} from './commands/words.ts'

export type { TokenAsked } from './commands/token.ts'

type Asked = ReturnType<(typeof COMMANDS)[Command]['read']>

/** What the user asked for. `wrong` carries one line for standard error; the exit code is 2. */
export type Arguments =
  | Asked
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  | Wrong

type Runs = Extract<Asked, { readonly kind: 'run' }>
/** Commands that read the configuration. */
export type RunName = Runs['command']
/** What each of them was asked for. */
export type RunAsked = { readonly [C in RunName]: Extract<Runs, { readonly command: C }> }

const OPTION_WIDTH = 14
const optionTable = (options: readonly OptionHelp[]): string[] =>
  options.flatMap(([option, chinese, text]) => [
    `  ${option.padEnd(OPTION_WIDTH)} ${chinese}`,
    `  ${' '.repeat(OPTION_WIDTH)} ${text}`,
  ])

/** Help of one command, or of the program. */
export function helpText(command?: Command): string {
  if (command !== undefined) {
    const { usage, text, chinese, options } = COMMANDS[command]
    return [
      usage,
      '',
      `  ${chinese}`,
      `  ${text}`,
      '',
      '选项 Options',
      ...optionTable(options),
      '',
    ].join('\n')
  }
  const commands = Object.values(COMMANDS).flatMap(({ usage, text, chinese }) => [
    `  ${usage}`,
    `      ${chinese}`,
    `      ${text}`,
  ])
  return [
    'steward: 在券商交易客户端旁边运行的交易账户服务',
    '         a trading account service beside a brokerage trading client',
    '',
    '命令 Commands',
    ...commands,
    '',
    '选项 Options',
    ...optionTable([
      ...CONFIG_HELP,
      HELP_OPTION,
      ['--version', '本程序的版本', 'version of this program'],
    ]),
    '',
    '退出码：0 正常停止，1 运行失败，2 用法或配置有误',
    'Exit codes: 0 normal stop, 1 failure at run time, 2 wrong usage or configuration',
    '',
  ].join('\n')
}

/**
 * What Windows makes of `"D:\QMT\" --yes`: the backslash takes the quote behind it, so that it closes nothing, and all that
 * follows is one word with it. No name of a file has a quote there.
 */
function swallowed(argv: readonly string[], platform: NodeJS.Platform): string | undefined {
  const word = platform === 'win32' ? argv.find((each) => each.includes('"')) : undefined
  if (word === undefined) return undefined
  const path = word.slice(0, word.indexOf('"'))
  const mend = path.endsWith(':') ? `${path}/` : path // a drive alone is whatever folder one is in there
  return `“${path}\\” 末尾的 \\ 吞掉了后面的引号，请写成 "${mend}" (the \\ at the end takes the quote behind it: write "${mend}")`
}

const NO_COMMAND =
  '缺少命令；可用 steward up，或见 steward --help (no command; try "steward up", or "steward --help")'

/** A first word that is neither a command nor an option of the program. */
function unknownFirst(word: string): Wrong {
  const isOption = word.startsWith('-')
  const [zh, en] = meant(word, isOption ? ['--help', '--version'] : Object.keys(COMMANDS))
  const what = isOption ? '选项' : '命令'
  const kind = isOption ? 'option' : 'command'
  return wrong(`没有${what} "${word}"；${zh} (unknown ${kind} "${word}"; ${en})`)
}

/** Reads what follows the program name. Pure: prints nothing and ends nothing. */
export function parseArguments(
  argv: readonly string[],
  platform: NodeJS.Platform = process.platform,
): Arguments {
  const [first, ...rest] = argv
  const isSwallowed = swallowed(argv, platform)
  if (isSwallowed !== undefined) return wrong(isSwallowed)
  if (first === undefined) return wrong(NO_COMMAND)
  if (first === '--help' || first === '-h') return { kind: 'help', text: helpText() }
  if (first === '--version') return { kind: 'version' }
  if (!isCommand(first)) return unknownFirst(first)
  if (rest.includes('--help') || rest.includes('-h')) return { kind: 'help', text: helpText(first) }
  return COMMANDS[first].read(rest)
}
