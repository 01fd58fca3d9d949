import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { RunAsked } from '../../config/arguments.ts'
import { renameHeld } from '../../config/rename.ts'
import type { AccountConfig, Config } from '../../config/schema.ts'
import { reasonOf } from '../../domain/finding.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { generateScript, MARK } from '../../drivers/bigqmt/generate.ts'
import { readParts } from '../../drivers/bigqmt/script-parts.ts'
import { filesOf, folderOf, scriptSettings, tokenFileOf } from '../../drivers/bigqmt/settings.ts'
import { openDataFolder } from '../data/data-folder.ts'
import { newSecret } from './token-command.ts'

interface ScriptCommand {
  readonly config: Config
  readonly asked: Omit<RunAsked['script'], 'kind' | 'command' | 'options'>
  /** Of this program. */
  readonly version: string
  readonly cwd: string
}

export interface ScriptFault {
  readonly text: string
  /** It was asked for what cannot be; else something failed. */
  readonly isWrong: boolean
}
const wrong = (text: string) => err({ text, isWrong: true })
const failed = (text: string) => err({ text, isWrong: false })

/** In so many bytes from the beginning a script of ours says that it is one. */
const HEAD_BYTES = 256

/**
 * Writes the script of an account, and its secret where the service finds it. Lines for standard output say
 * where it is and what to click; the secret is in the file alone.
 */
export function makeScript(command: ScriptCommand): Result<readonly string[], ScriptFault> {
  const { config, asked, version, cwd } = command
  const account = config.accounts.find(({ account_id: id }) => id === asked.accountId)
  if (account === undefined) return wrong(unknownAccount(config, asked.accountId))
  if (account.driver !== 'bigqmt') return wrong(otherDriver(account))
  const output = resolve(cwd, asked.output ?? `steward_${account.account_id}.py`)
  if (!isOursOrFree(output)) {
    return wrong(
      `--output ${output}: 已有文件，且不是本命令生成的，请换一个名称 (there is a file that this command has not made; choose another name)`,
    )
  }
  const folder = openDataFolder(config.data_dir)
  if (!folder.ok) return failed(folder.error)
  const dataDir = config.data_dir
  try {
    const secret = secretOf(dataDir, account, asked.isSecretNew)
    const settings = scriptSettings({ dataDir, limits: config.limits }, account, {
      token: secret.token,
      version,
    })
    const script = generateScript(readParts(), settings)
    if (!script.ok) return failed(`脚本无法生成 (the script cannot be made): ${script.error}`)
    const before = existsSync(output) ? readFileSync(output) : undefined
    // The secret last: until there is a script that knows a new one, the one in the terminal is not refused.
    writePrivately(output, script.value)
    if (secret.isDrawn) {
      const putBack = () =>
        before === undefined ? rmSync(output, { force: true }) : writePrivately(output, before)
      keepSecret(tokenFileOf(dataDir, account.account_id), secret.token, putBack)
    }
    return ok(linesOf({ account, output, isSecretNew: secret.isNew, dataDir }))
  } catch (error) {
    return failed(`脚本无法写入 (the script cannot be written): ${output}: ${reasonOf(error)}`)
  }
}

function unknownAccount({ accounts }: Config, accountId: string): string {
  const known = accounts.filter(({ driver }) => driver === 'bigqmt').map((each) => each.account_id)
  const there = known.length === 0 ? 'none has driver "bigqmt"' : `there is ${known.join(', ')}`
  return `--account ${accountId}: 配置中没有这个账户 (no such account in the configuration; ${there})`
}

const otherDriver = ({ account_id: id, driver }: AccountConfig): string =>
  `--account ${id}: 它的 driver 是 "${driver}"；请在配置中改为 "driver": "bigqmt" (its driver is "${driver}"; only one with "driver": "bigqmt" has a script)`

function isOursOrFree(file: string): boolean {
  if (!existsSync(file)) return true
  try {
    return readFileSync(file).subarray(0, HEAD_BYTES).includes(MARK)
  } catch {
    return false // a folder, or not ours to read
  }
}

interface Secret {
  readonly token: string
  /** It is on no disk yet. */
  readonly isDrawn: boolean
  /** Another one was kept before. */
  readonly isNew: boolean
}

/** Drawn once: the script in the terminal must go on knowing it. */
function secretOf(
  dataDir: string,
  { account_id: id }: AccountConfig,
  isWantedNew: boolean,
): Secret {
  const file = tokenFileOf(dataDir, id)
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  if (kept !== '' && !isWantedNew) return { token: kept, isDrawn: false, isNew: false }
  return { token: newSecret().token, isDrawn: true, isNew: kept !== '' }
}

/** Where it cannot be kept, nobody would ever answer to the script that holds it: the one of before is put back. */
function keepSecret(file: string, token: string, putBack: () => void): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writePrivately(file, `${token}\n`)
  } catch (error) {
    putBack()
    throw new Error(`密钥无法保存 (its secret cannot be kept): ${file}: ${reasonOf(error)}`)
  }
}

/** Whole or not at all, and readable by this user only. */
function writePrivately(file: string, content: string | Uint8Array): void {
  const draft = join(dirname(file), `.steward-${randomBytes(6).toString('hex')}.tmp`)
  const opened = openSync(draft, 'wx', 0o600)
  try {
    try {
      writeFileSync(opened, content)
      fsyncSync(opened)
    } finally {
      closeSync(opened)
    }
    renameHeld(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

interface Made {
  readonly account: AccountConfig
  readonly output: string
  /** Another script of this account was there before, and knows another. */
  readonly isSecretNew: boolean
  readonly dataDir: string
}

function linesOf({ account, output, isSecretNew, dataDir }: Made): readonly string[] {
  const { transport, host, port } = account.bigqmt
  const way =
    transport === 'socket'
      ? `连接方式：本机端口 ${port} (over port ${port} of ${host})`
      : `连接方式：文件目录 ${filesOf(dataDir, account)} (over files)`
  return [
    `脚本已生成，内含密钥，请勿外传 (the script; it holds a secret, show it to nobody): ${output}`,
    `日志与流水目录 (folder of its journal): ${folderOf(dataDir, account)}`,
    way,
    ...(isSecretNew ? [NEW_SECRET] : []),
    '接下来 (what to do next):',
    ...CLICKS.map((line, index) => `  ${index + 1}. ${line}`),
    '详细步骤 (every click): docs/bigqmt.md',
  ]
}

const NEW_SECRET =
  '密钥已更换：终端里的旧脚本从下次连接起被拒绝，必须换成这一份 (the secret is new: the script in the terminal is refused from its next connection on until it is replaced with this one)'

const CLICKS = [
  '登录完整版交易终端（不要勾选独立交易/极简模式）(log in to the full terminal, not to its minimal mode)',
  '“模型研究”→“新建策略”→ Python 策略，删掉示例代码，粘贴脚本全文并保存 (model research, new Python strategy: replace its text with the whole script, save)',
  '“模型交易”→ 新建策略交易 → 选择该策略与本资金账号，运行模式选“实盘” (model trading: add it with this account, run mode live)',
  '点击“运行”，日志出现 steward 字样即可；再执行 steward doctor 核对 (run it; when its log says steward, check with: steward doctor)',
]
