import { type CommandLine, HELP_OPTION, namesOf, readOptions, type Wrong } from './words.ts'

/** What the command line says of a new configuration; the rest is asked for. */
export interface InitAsked {
  readonly kind: 'init'
  /** Where it is written; absent: `steward.config.json` in the usual place. */
  readonly file?: string
  readonly driver?: string
  readonly clientPath?: string
  /** Separated by commas. */
  readonly accounts?: string
  readonly accountType?: string
  readonly python?: string
  readonly dataDir?: string
  readonly token?: string
  /** An existing file is put aside. */
  readonly isForced: boolean
  /** Nobody is asked, what is not said is as by default. */
  readonly isSilent: boolean
  /** The doctor does not look afterwards. */
  readonly isUnexamined: boolean
}

const FLAGS = ['--force', '--yes', '--no-doctor'] as const
const OPTIONS = [
  [
    '--driver D',
    'xt（极简模式的 QMT）、bigqmt（完整版终端里的脚本）或 paper（内置模拟客户端）',
    'xt (QMT in minimal mode), bigqmt (a script in the full terminal) or paper (embedded)',
  ],
  ['--qmt P', '终端的 userdata_mini 文件夹', 'folder userdata_mini of the terminal'],
  ['--account A,B', '该终端的资金账号', 'numbers of the accounts of that terminal'],
  [
    '--type T',
    'STOCK 普通（缺省）、FUTURE 期货或 CREDIT 信用',
    'STOCK (default), FUTURE or CREDIT',
  ],
  [
    '--python P',
    '64 位 Python 3.8 至 3.13；缺省 python',
    '64-bit Python 3.8 to 3.13; default python',
  ],
  ['--data-dir D', '全部数据的文件夹；缺省 ./data', 'folder of all data; default ./data'],
  [
    '--token Y',
    'y：生成令牌，让别的电脑可以连接；缺省 n',
    'y: makes a token, so that other computers are let in; default n',
  ],
  [
    '--config F',
    '要写的文件；缺省 steward.config.json',
    'file to write; default steward.config.json',
  ],
  ['--force', '把已有的文件改名保留，另写一份', 'puts an existing file aside and writes a new one'],
  ['--yes', '不提问：没有写明的按缺省', 'asks nothing: what is not said is as by default'],
  ['--no-doctor', '写好后不体检', 'does not look at the computer afterwards'],
  HELP_OPTION,
] as const

const NAMES = {
  '--config': 'file',
  '--driver': 'driver',
  '--qmt': 'clientPath',
  '--account': 'accounts',
  '--type': 'accountType',
  '--python': 'python',
  '--data-dir': 'dataDir',
  '--token': 'token',
} as const satisfies Record<string, keyof InitAsked>

export const init: CommandLine<InitAsked> = {
  usage: 'steward init [--driver D] [--qmt P] [--account A,B] [--config F] [--force] [--yes]',
  text: 'makes a configuration: looks for terminals, asks what it cannot know, writes the file, and has the doctor look',
  chinese: '生成配置文件：查找交易终端，询问其余各项，写入后自动体检；已有文件不会被覆盖',
  options: OPTIONS,
  read(argv): InitAsked | Wrong {
    const known = namesOf(OPTIONS).filter((name) => !isFlag(name))
    const given = readOptions(argv, { command: 'init', known, flags: FLAGS })
    if (!given.ok) return given.error
    const said = Object.entries(NAMES).flatMap(([flag, name]) => {
      const value = given.value.get(flag)
      return value === undefined ? [] : [[name, value] as const]
    })
    return {
      kind: 'init',
      ...Object.fromEntries(said),
      isForced: given.value.has('--force'),
      isSilent: given.value.has('--yes'),
      isUnexamined: given.value.has('--no-doctor'),
    }
  },
}

const isFlag = (name: string): boolean => FLAGS.some((flag) => flag === name)
