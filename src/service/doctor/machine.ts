import { execFile } from 'node:child_process'
import { readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { oneNameOf } from '../../cluster/one-name.ts'
import type { Limits } from '../../config/schema.ts'
import { exchangeDay, exchangeTime } from '../../domain/exchange-time.ts'
import { type Finding, fail, fine, warn } from '../../domain/finding.ts'
import { calendarNotice } from '../../domain/session.ts'
import { logsFolder } from '../../storage/account-logs.ts'
import { hasMembers, isDead, logsIn } from '../../storage/log/folder.ts'
import { openDataFolder } from '../data/data-folder.ts'
import { HALF_COPY_TEXT, halfCopies } from '../data/restore-place.ts'
import { DESCRIPTORS_MEND, type Served, tooFewDescriptors } from '../process/descriptors.ts'

const run = promisify(execFile)
const TOOL_MS_MAX = 5_000
const MIB = 1_048_576
const FREE_MIB_LEAST = 200
const FREE_MIB_GOOD = 2_048
/** The pinned runtime; without its package any later 22 serves. */
const NODE = { major: 22, minor: 18 } as const
/** Folders that a program copies elsewhere while the database is being written. */
const SYNCHRONIZED =
  /onedrive|dropbox|google ?drive|icloud|nutstore|jianguoyun|坚果云|baidunetdisk|百度网盘|synologydrive/i
/** NFS, SMB, CIFS, SMB2, AFS, Ceph, 9P and FUSE in the numbers of statfs: shared memory maps do not hold there. */
const NETWORK_TYPES: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400, 0x01021997, 0x65735546,
])

export function nodeFinding(version: string, abi: string, platform: string): Finding {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number)
  const text = `Node ${version}, ABI ${abi}, ${platform}`
  if (major === NODE.major && minor >= NODE.minor) return fine('node', text)
  return fail(
    'node',
    text,
    '请执行 npm run setup，它会装好固定版本的 Node (run npm run setup: it installs the pinned Node beside this program)',
  )
}

/** The folder of all data: there, writable, on a disk of this computer, not copied by somebody. */
export function dataFindings(
  dataDir: string,
  floor: DiskFloor,
  nameOf: (folder: string) => string = oneNameOf,
): readonly Finding[] {
  const name = 'data folder'
  const opened = openDataFolder(dataDir)
  if (!opened.ok) {
    const [fault = '', mend = ''] = opened.error.split('; ')
    return [fail(name, fault, mend)]
  }
  const mend =
    '请把 data_dir 移到本机硬盘的普通文件夹，例如 C:\\steward\\data (move data_dir to a plain folder on a local disk, such as C:\\steward\\data)'
  const names = [dataDir, nameOf(dataDir)] // behind a link, or a letter of Windows, there may be any disk
  if (names.some((path) => SYNCHRONIZED.test(path))) {
    return [
      fail(name, `${dataDir} 被其他程序同步 (is synchronized by another program)`, mend),
      diskFinding(dataDir, floor),
    ]
  }
  const isOfNetwork = names.some((path) => path.startsWith('\\\\'))
  if (isOfNetwork || NETWORK_TYPES.has(statfsSync(dataDir).type)) {
    return [
      fail(
        name,
        `${dataDir} 在网络盘或共享文件系统上 (is on a network or shared file system)`,
        mend,
      ),
    ]
  }
  return [fine(name, dataDir), diskFinding(dataDir, floor)]
}

/** Limits of the store by which the service refuses orders. MiB */
export type DiskFloor = Pick<Limits['store'], 'free_space_floor_mb' | 'write_margin_mb'>

function diskFinding(dataDir: string, floor: DiskFloor): Finding {
  const { bavail, bsize } = statfsSync(dataDir)
  return freeFinding(Math.floor((bavail * bsize) / MIB), floor)
}

export function freeFinding(freeMib: number, floor: DiskFloor): Finding {
  const text = `剩余 ${freeMib} MiB (${freeMib} MiB free)`
  const mend = `请腾出空间：日志和行情会增长，${FREE_MIB_GOOD} MiB 才宽裕 (make room: journals and quotes grow; ${FREE_MIB_GOOD} MiB are comfortable)`
  for (const name of ['write_margin_mb', 'free_space_floor_mb'] as const) {
    const limit = `limits.store.${name} (${floor[name]})`
    if (freeMib >= floor[name]) continue
    const refused = `${text}，低于 ${limit}，委托被拒绝，止盈止损也不发出 (below ${limit}: orders are refused, and neither profits are taken nor losses stopped)`
    return fail('disk', refused, mend)
  }
  if (freeMib < FREE_MIB_LEAST) return fail('disk', text, mend)
  return freeMib < FREE_MIB_GOOD ? warn('disk', text, mend) : fine('disk', text)
}

/** A limit of the system that the accounts do not fit into. */
export function descriptorsFinding(served: Served, max?: number): readonly Finding[] {
  const text = tooFewDescriptors(served, max)
  return text === undefined ? [] : [warn('open files', text, DESCRIPTORS_MEND)]
}

/** What a restore has left that was killed. The next one begins with removing it; until then it takes room. */
export function halfCopyFinding(dataDir: string): readonly Finding[] {
  const mend =
    '若没有恢复正在进行：要恢复请再执行 steward restore，不再需要可以删除它 (where no restore is running: run steward restore again, or delete it)'
  return halfCopies(dataDir).map((path) => warn('restore', `${path} ${HALF_COPY_TEXT}`, mend))
}

/** Logs that a killed process has left: of the accounts, and of the embedded client. */
export function logsFinding(
  dataDir: string,
  isOfDead: (name: string) => boolean = isDead,
): readonly Finding[] {
  const mend =
    '请启动服务：它会从中读回最后的应答；什么都不要删除 (start the service: it reads what was answered last from there; remove nothing)'
  return [logsFolder(dataDir), join(dataDir, 'paper', 'logs')].flatMap((root) => {
    try {
      return logsIn(root)
        .filter((name) => isOfDead(name) && hasMembers(join(root, name)))
        .map((name) =>
          warn(
            'log',
            `${join(root, name)} 是被强行结束的进程留下的 (is of a process that was killed)`,
            mend,
          ),
        )
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      return [warn('log', text, UNREAD_LOGS_MEND)]
    }
  })
}

const UNREAD_LOGS_MEND =
  '请以运行服务的用户执行 doctor，并检查数据所在的磁盘；什么都不要删除 (run the doctor as the user of the service, and look at the disk of the data; remove nothing)'

/** By which files may be younger than now without the clock being wrong. */
const BEHIND_MS_LEAST = 60_000

/** When the service last wrote into its folder, epoch ms; 0 when it never did, or this user may not know. */
function writtenMs(dataDir: string): number {
  const folder = join(dataDir, 'service')
  try {
    return Math.max(0, ...readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs))
  } catch {
    return 0
  }
}

/** Orders are judged by the hours of the exchange, so the clock of this computer must be right. */
export async function clockFinding(
  nowMs: number,
  dataDir: string,
  ask: () => Promise<boolean | undefined> = askSynchronized,
): Promise<Finding> {
  const day = exchangeDay(nowMs)
  const lastMs = writtenMs(dataDir)
  if (lastMs - nowMs >= BEHIND_MS_LEAST) {
    const text = `现在 ${exchangeTime(nowMs)}，而数据写于 ${exchangeTime(lastMs)} (${exchangeTime(nowMs)}, but data was written at ${exchangeTime(lastMs)})`
    return fail(
      'clock',
      text,
      '请校准时钟；在此之前不开新的交易日，也不买入 (set the clock right; until then no day opens and nothing is bought)',
    )
  }
  const isSynchronized = await ask()
  const mend = SYNCHRONIZE[process.platform] ?? SYNCHRONIZE['linux'] ?? ''
  if (isSynchronized === false)
    return warn('clock', `${day}，时间未同步 (${day}, not synchronized)`, mend)
  if (isSynchronized === undefined) {
    const text = `交易所时间 ${exchangeTime(nowMs)}，不知是否同步 (${exchangeTime(nowMs)} at the exchange, whether it is synchronized is unknown)`
    return warn('clock', text, `请与别的钟核对 (compare it with another clock); ${mend}`)
  }
  return fine('clock', `交易所日期 ${day}，时间已同步 (${day} at the exchange, synchronized)`)
}

/** Whether the holidays of the days to come are known, weeks before they are needed. */
export function calendarFinding(nowMs: number): Finding {
  const notice = calendarNotice(nowMs)
  const name = 'calendar'
  if (notice === undefined) {
    const known = exchangeDay(nowMs).slice(0, 4)
    return fine(name, `已有 ${known} 年的休市日 (the holidays of ${known} are known)`)
  }
  const { year, days } = notice
  const mend =
    '请更新本程序，或按交易所公告把休市日写入 closed_days；在此之前该年每个工作日都算交易日 (update this program, or write the days of the notice of the exchange into closed_days; every weekday of that year counts as a trading day until then)'
  const [zh, en] = days > 0 ? [`，${days} 天后开始`, `, which begins in ${days} days`] : ['', '']
  return warn(
    name,
    `没有 ${year} 年的休市日${zh} (the holidays of ${year} are not known${en})`,
    mend,
  )
}

const SYNCHRONIZE: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  win32:
    '请以管理员身份运行 w32tm /resync，并把 Windows Time 服务设为自动 (run "w32tm /resync" as administrator, and let the Windows Time service start by itself)',
  darwin:
    '请在系统设置中打开自动设置时间 (switch on "Set time and date automatically" in System Settings)',
  linux:
    '请打开时间同步，例如 timedatectl set-ntp true (switch on time synchronization, e.g. timedatectl set-ntp true)',
}

/** All that a program has said before it failed; empty when it did not run. */
const wordsOf = (error: unknown): string => {
  const { stdout = '', stderr = '' } = Object(error) as { stdout?: string; stderr?: string }
  return `${stdout}${stderr}`
}

/** The service that keeps the time is not started. */
const NOT_STARTED = /0x80070426/
/** First line of its answer: leap indicator 3, not synchronized. In all languages of Windows. */
const LEAP_UNKNOWN = /^[^\n]*:\s*3\(/

/** What w32tm says of the clock; undefined when that cannot be told. */
export function readW32tm(words: string): boolean | undefined {
  if (NOT_STARTED.test(words)) return false
  if (!/\d+\.\d+s|0x[0-9A-Fa-f]{8}/.test(words)) return undefined // no status at all
  return !LEAP_UNKNOWN.test(words.trimStart()) && !/Local CMOS Clock|free-running/i.test(words)
}

/** Undefined where the system cannot be asked. */
async function askSynchronized(): Promise<boolean | undefined> {
  try {
    if (process.platform === 'win32') {
      const asked = run('w32tm', ['/query', '/status'], { timeout: TOOL_MS_MAX })
      return readW32tm(await asked.then(({ stdout }) => stdout, wordsOf))
    }
    const words = ['show', '--property=NTPSynchronized', '--value']
    const { stdout } = await run('timedatectl', words, { timeout: TOOL_MS_MAX })
    return stdout.trim() === 'yes'
  } catch {
    return undefined
  }
}
