import { cluster } from './cluster.ts'
import { init } from './init.ts'
import { token } from './token.ts'
import {
  type CommandLine,
  configured,
  HELP_OPTION,
  readOptions,
  splitAssignments,
  type Wrong,
  withName,
  wrong,
} from './words.ts'

const REPORT_FILE = 'steward-report.txt'

const up = configured({
  name: 'up',
  usage: 'steward up [--config F]',
  text: 'one process: the gateway and direct mode of every configured account',
  chinese: '一个进程：网关，以及每个已配置账户的直连模式',
  own: () => ({}),
})

const direct = configured({
  name: 'direct',
  usage: 'steward direct --account ID [--config F]',
  text: 'direct mode of one account, one process per account',
  chinese: '单个账户的直连模式，每个账户一个进程',
  options: [['--account ID', '要运行的账户（必填）', 'the account to run (required)']],
  own: (given) => {
    const accountId = given.get('--account')
    return accountId === undefined
      ? wrong('steward direct 需要 --account 账号 (steward direct needs --account ID)')
      : { accountId }
  },
})

const gateway = configured({
  name: 'gateway',
  usage: 'steward gateway [--config F]',
  text: 'the gateway only',
  chinese: '仅网关',
  own: () => ({}),
})

const check = configured({
  name: 'check',
  usage: 'steward check [--config F]',
  text: 'checks the configuration and prints every setting with its value and source',
  chinese: '检查配置，并列出每项设置的生效值及来源',
  own: () => ({}),
})

const doctor = configured({
  name: 'doctor',
  usage: 'steward doctor [--report [F]] [--config F]',
  text: 'looks at Node, folders, ports, clock, Python, xtquant and the trading client; 1 when something is to mend',
  chinese: '检查运行环境与交易客户端并给出修复建议；--report 写出脱敏报告；有问题时退出码为 1',
  options: [
    [
      '--report [F]',
      `把结果写入 F，缺省 ${REPORT_FILE}，其中没有令牌和账号`,
      `writes what was found into F, default ${REPORT_FILE}, without tokens and numbers`,
    ],
  ],
  words: (words) => withReportFile(splitAssignments(words)),
  // Absent: no report is written.
  own: (given): { readonly reportFile?: string } => {
    const reportFile = given.get('--report')
    return { ...(reportFile !== undefined && { reportFile }) }
  },
})

/** The one option whose value may be left out. */
const withReportFile = (words: readonly string[]): string[] =>
  words.flatMap((word, at) => {
    const next = words[at + 1] ?? '--'
    return word === '--report' && (next === '' || next.startsWith('--'))
      ? [word, REPORT_FILE]
      : [word]
  })

interface AuditAsked {
  /** Absent: every account. */
  readonly accountId?: string
  /** Published heads; absent: `audit.head_file` of the configuration. */
  readonly headsFile?: string
  /** Absent: signatures are not checked. */
  readonly publicKeyFile?: string
}

const audit = configured({
  name: 'audit',
  usage: 'steward audit verify [--account ID] [--heads F] [--public-key F] [--config F]',
  text: 'checks that every audit journal is consistent in itself and with the tables, and with the heads published before; 1 when one is not',
  chinese: '逐条校验审计日志自身是否连贯、与数据表及已公布的链头是否一致；不一致时退出码为 1',
  options: [
    [
      '--account ID',
      '只校验这个账户；缺省为数据目录中的全部账户',
      'only this account; else every account in the data folder',
    ],
    [
      '--heads F',
      '另存他处的链头：链头文件或日志；缺省为 audit.head_file',
      'heads kept out of reach: a head file or a log; else audit.head_file',
    ],
    [
      '--public-key F',
      '只认由此公钥对应的私钥签署的链头',
      'counts only heads that this key has signed',
    ],
  ],
  words: auditWords,
  own: (given): AuditAsked => {
    const accountId = given.get('--account')
    const headsFile = given.get('--heads')
    const publicKeyFile = given.get('--public-key')
    return {
      ...(accountId !== undefined && { accountId }),
      ...(headsFile !== undefined && { headsFile }),
      ...(publicKeyFile !== undefined && { publicKeyFile }),
    }
  },
})

function auditWords([verb, ...options]: readonly string[]): readonly string[] | Wrong {
  if (verb === 'verify') return options
  if (verb === undefined || verb.startsWith('-')) {
    return wrong(
      'steward audit 后面要写做什么：steward audit verify (steward audit needs a verb: steward audit verify)',
    )
  }
  return wrong(
    `没有命令 "audit ${verb}"；是否指 audit verify？ (unknown command "audit ${verb}"; did you mean audit verify?)`,
  )
}

/** A copy now, or copies by themselves from now on. */
type BackupAsked =
  | { readonly target: string }
  | {
      /** `HH:MM`, or `off`. */
      readonly schedule: string
      /** Absent: as it is now. */
      readonly to?: string
      readonly keep?: string
    }

const backup = configured({
  name: 'backup',
  usage: 'steward backup --to D [--schedule HH:MM|off [--keep N]] [--config F]',
  text: 'copies every database of the data folder to D, each whole, also while the service runs; with --schedule the service does so every day',
  chinese: '备份数据目录中的全部数据库，服务运行时也可执行；--schedule 设为每日自动备份',
  options: [
    [
      '--to D',
      '备份写入的文件夹（必填）；可用 --data-dir D 直接运行这份备份，核对后同样先等人确认',
      'folder of the copy (required); run with --data-dir D it compares and waits for a person, as after a restore',
    ],
    [
      '--schedule T',
      '每日 T（HH:MM，北京时间，收盘后）备份到 D 中的一个文件夹；off 为取消',
      'every day at T (HH:MM, Asia/Shanghai, after the close) into a folder of D; off',
    ],
    [
      '--keep N',
      '与 --schedule 同用：保留多少份，缺省 14',
      'with --schedule: so many copies are kept; default 14',
    ],
  ],
  own: (given): BackupAsked | Wrong => {
    const [to, schedule, keep] = ['--to', '--schedule', '--keep'].map((name) => given.get(name))
    if (schedule !== undefined) {
      return { schedule, ...(to !== undefined && { to }), ...(keep !== undefined && { keep }) }
    }
    if (keep !== undefined)
      return wrong(
        '--keep 须与 --schedule 同用；见 steward backup --help (--keep belongs to --schedule; see steward backup --help)',
      )
    return to === undefined
      ? wrong('steward backup 需要 --to 文件夹 (steward backup needs --to FOLDER)')
      : { target: to }
  },
})

const restore = configured({
  name: 'restore',
  usage: 'steward restore D [--config F]',
  text: 'puts the databases of the backup D in place of those of the data folder, which is put aside; 1 when D is damaged',
  chinese: '用备份 D 恢复数据目录（须先停止服务；原目录改名保留）；下次启动先与交易客户端完整核对',
  options: [
    ['--from D', '备份所在的文件夹，与只写 D 相同', 'the folder of the copy, the same as D alone'],
  ],
  words: (words) => withName('--from', words),
  own: (given) => {
    const folder = given.get('--from')
    return folder === undefined
      ? wrong('steward restore 需要备份所在的文件夹 (steward restore needs the folder of a backup)')
      : { backup: folder }
  },
})

const where = configured({
  name: 'where',
  usage: 'steward where [--config F]',
  text: 'prints where program, configuration, data, logs and backups lie',
  chinese: '列出程序、配置、数据、日志和备份的位置',
  own: () => ({}),
})

const update = configured({
  name: 'update',
  usage: 'steward update [--from A] [--config F]',
  text: 'puts the version in the archive (or unpacked folder) A beside this one, after checks and a backup; nothing is downloaded',
  chinese: '用新版压缩包更新：核对校验值、备份数据库，新版放在旧版旁边，旧版保留（须先停止服务）',
  options: [
    [
      '--from A',
      '新版 zip 或 tar.gz（旁边要有 SHA256SUMS），或由它解压出的文件夹',
      'zip or tar.gz with its SHA256SUMS beside it, or a folder unpacked from one',
    ],
  ],
  words: (words) => withName('--from', words),
  own: (given): { readonly from?: string } => {
    const from = given.get('--from')
    return { ...(from !== undefined && { from }) }
  },
})

const uninstall = configured({
  name: 'uninstall',
  usage: 'steward uninstall [--remove-data --confirm DELETE] [--config F]',
  text: 'ends the automatic start, and says what is left to remove by hand; data stays unless it is told otherwise',
  chinese: '取消自动启动并列出须手工删除的内容；数据与配置默认保留（须先停止服务）',
  options: [
    [
      '--remove-data',
      '删除数据目录，包括全部账本和日志',
      'removes the data folder with all books and logs',
    ],
    [
      '--confirm DELETE',
      '与 --remove-data 同用：确认要删除',
      'with --remove-data: that you mean it',
    ],
  ],
  flags: ['--remove-data'],
  own: (given): { readonly isDataRemoved: boolean; readonly confirm?: string } | Wrong => {
    const confirm = given.get('--confirm')
    const isDataRemoved = given.has('--remove-data')
    if (confirm !== undefined && !isDataRemoved)
      return wrong(
        '--confirm 须与 --remove-data 同用；见 steward uninstall --help (--confirm belongs to --remove-data; see steward uninstall --help)',
      )
    return { isDataRemoved, ...(confirm !== undefined && { confirm }) }
  },
})

/** `file` takes the private key. */
const key: CommandLine<{ readonly kind: 'key'; readonly file: string }> = {
  usage: 'steward key --to F',
  text: 'makes a key for audit.key_file, which signs the published heads of journals: F, and F.pub that verifies',
  chinese: '生成用于签署审计链头的密钥（audit.key_file）：私钥 F，公钥 F.pub',
  options: [
    [
      '--to F',
      '尚不存在的文件，在数据目录之外（必填）',
      'file that does not exist yet, outside the data folder (required)',
    ],
    HELP_OPTION,
  ],
  read: (argv) => {
    const given = readOptions(argv, { command: 'key', known: ['--to'] })
    if (!given.ok) return given.error
    const file = given.value.get('--to')
    return file === undefined
      ? wrong('steward key 需要 --to 文件 (steward key needs --to FILE)')
      : { kind: 'key', file }
  },
}

interface ScriptAsked {
  readonly accountId: string
  /** Absent: `steward_<account>.py` in the working directory. */
  readonly output?: string
  readonly isSecretNew: boolean
}

const script = configured({
  name: 'script',
  usage: 'steward script bigqmt --account ID [--output F] [--new-secret] [--config F]',
  text: 'writes the script that an account with driver "bigqmt" runs inside the full terminal, its secret in it; also while the service runs',
  chinese:
    '为 bigqmt 账户生成在完整版交易终端内运行的脚本（内含密钥，不在屏幕显示）；服务运行时也可执行',
  options: [
    ['--account ID', '为哪个账户生成（必填）', 'whose script it is (required)'],
    [
      '--output F',
      '要写的文件，缺省为这里的 steward_账号.py；以前生成的会被覆盖',
      'file to write; default steward_ID.py here; one of ours is written over',
    ],
    [
      '--new-secret',
      '更换密钥：终端里的旧脚本必须换成这一份',
      'draws a new secret: the script in the terminal must be replaced with this one',
    ],
  ],
  flags: ['--new-secret'],
  words: scriptWords,
  own: (given): ScriptAsked | Wrong => {
    const accountId = given.get('--account')
    const output = given.get('--output')
    if (accountId === undefined)
      return wrong(
        'steward script bigqmt 需要 --account 账号 (steward script bigqmt needs --account ID)',
      )
    const isSecretNew = given.has('--new-secret')
    return { accountId, isSecretNew, ...(output !== undefined && { output }) }
  },
})

function scriptWords([driver, ...options]: readonly string[]): readonly string[] | Wrong {
  if (driver === 'bigqmt') return options
  if (driver === '--help') return [driver]
  if (driver === undefined || driver.startsWith('-')) {
    return wrong(
      'steward script 后面要写驱动：steward script bigqmt --account 账号 (steward script needs a driver: steward script bigqmt --account ID)',
    )
  }
  return wrong(
    `没有命令 "script ${driver}"；是否指 script bigqmt？ (unknown command "script ${driver}"; did you mean script bigqmt?)`,
  )
}

/**
 * Every command, in the order of the help. A new one is one entry here, and what it does is one in
 * `src/service/commands/commands.ts`.
 */
export const COMMANDS = {
  init,
  up,
  direct,
  gateway,
  check,
  doctor,
  audit,
  backup,
  restore,
  where,
  update,
  uninstall,
  script,
  token,
  key,
  cluster,
} as const

export type Command = keyof typeof COMMANDS
export const isCommand = (word: string): word is Command => Object.hasOwn(COMMANDS, word)
