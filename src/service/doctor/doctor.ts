import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { homedir, hostname, userInfo } from 'node:os'
import { having } from '../../config/drivers.ts'
import { formatEffective } from '../../config/effective.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { Config } from '../../config/schema.ts'
import { type Finding, fail, fine, reasonOf, warn } from '../../domain/finding.ts'
import { maskAccount } from '../../domain/mask.ts'
import type { Say } from '../../drivers/registration.ts'
import { giveClosedDays } from '../../market/closed-days.ts'
import { UNNAMED_MEND, unnamedAccounts, unnamedText } from '../accounts/unnamed-accounts.ts'
import { livesByCalendar } from '../calendar/calendar-watch.ts'
import { closedDaysWarnings } from '../calendar/closed-days-look.ts'
import { refusalOfDemo } from '../data/demo-data.ts'
import { servedBy } from '../process/descriptors.ts'
import { certificateFindings } from './certificate.ts'
import { exposedFiles } from './exposed-files.ts'
import { linesOf } from './finding-lines.ts'
import {
  calendarFinding,
  clockFinding,
  dataFindings,
  descriptorsFinding,
  halfCopyFinding,
  logsFinding,
  nodeFinding,
} from './machine.ts'
import { portFindings } from './ports.ts'
import { type Tried, tryAll } from './probe.ts'
import { proxyFindings } from './proxies.ts'

export interface DoctorOptions {
  readonly loaded: LoadedConfig
  /** Takes each finished line. */
  readonly write: (line: string) => void
  /** Where to write the report; undefined = none. */
  readonly reportFile: string | undefined
  readonly version: string
  readonly nowMs: number
}

/**
 * `steward doctor`: looks at everything that the service needs and says how to mend what is missing.
 * Sends no order and changes nothing but the folder of the data, which it makes when it is not there.
 *
 * @returns whether nothing has failed
 */
export async function examine(options: DoctorOptions): Promise<boolean> {
  const { loaded, write, reportFile, nowMs } = options
  const { config } = loaded
  const findings: Finding[] = []
  const say = (found: readonly Finding[]) => {
    findings.push(...found)
    for (const finding of found) for (const line of linesOf(finding)) write(line)
  }
  const { versions, version, platform, arch } = process
  say([nodeFinding(version, versions.modules, `${platform}-${arch}`)])
  say(dataFindings(config.data_dir, config.limits.store))
  const notDemo = refusalOfDemo(loaded)
  if (notDemo !== undefined) say([fail('configuration', notDemo, CONFIGURATION_MEND)])
  say(logsFinding(config.data_dir))
  say(halfCopyFinding(config.data_dir))
  say(descriptorsFinding(servedBy(config.accounts, config.cluster)))
  const { silence_ms: silenceMs } = config.limits.examine
  say((await tryAll({ dataDir: config.data_dir, silenceMs })).map(triedFinding))
  say(exposedFiles(config).map(({ name, path, mend }) => exposedFinding(name, path, mend)))
  const unnamed = await unnamedText(config)
  if (unnamed !== '') say([warn('accounts', unnamed, UNNAMED_MEND)])
  say(await portFindings(config))
  say(await certificateFindings(config, nowMs))
  say(proxyFindings(config))
  say([await clockFinding(nowMs, config.data_dir)])
  giveClosedDays(config.closed_days)
  if (livesByCalendar(config)) say([calendarFinding(nowMs)])
  say(closedDaysWarnings(config, nowMs).map((text) => warn('calendar', text, CLOSED_DAYS_MEND)))
  await examineClients(config, say)
  const failed = findings.filter(({ status }) => status === 'fail').length
  const warned = findings.filter(({ status }) => status === 'warn').length
  write(
    `检查 ${findings.length} 项，须处理 ${failed} 项，请留意 ${warned} 项 (${findings.length} looked at, ${failed} to mend, ${warned} to think about)`,
  )
  const isReported = reportFile === undefined || isWritten(reportFile, options, findings)
  return isReported && failed === 0
}

/** What a report begins with. */
const REPORT_HEAD = /^steward \S+ doctor, /
/** In so many bytes from the beginning. */
const HEAD_BYTES = 256

/**
 * Whether a file is there that is no report: who names the configuration behind the wrong option must not lose it. A
 * device takes anything. Errors  of the system.
 */
function isForeign(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
  const head = readFileSync(file).subarray(0, HEAD_BYTES).toString()
  return head !== '' && !REPORT_HEAD.test(head)
}

function isWritten(file: string, options: DoctorOptions, findings: readonly Finding[]): boolean {
  try {
    if (isForeign(file)) {
      throw new Error('不是体检报告，保持原样 (is no report, and stays as it is)')
    }
    writeFileSync(file, reportOf(options, findings), { mode: 0o600 })
    options.write(
      `report: ${file} 其中没有令牌、账号和姓名 (no token, no account number, no name in it)`,
    )
    return true
  } catch (error) {
    options.write(
      `报告未能写入，请用 --report 另指定一个文件 (not written; name another file with --report): ${file}: ${reasonOf(error)}`,
    )
    return false
  }
}

const CLOSED_DAYS_MEND =
  '请按交易所公告改正配置里的 closed_days (mend closed_days in the configuration by the notice of the exchange)'
const CONFIGURATION_MEND =
  'steward where 会列出配置应在的位置 (steward where names the place in which it is looked for)'

/** A package of machine code, or the database that was tried. */
function triedFinding({ name, isOptional, problem }: Tried): Finding {
  if (problem === undefined)
    return fine(
      name,
      name === 'database' ? '可打开、写入、读取 (opened, written and read)' : '可加载 (loads)',
    )
  return isOptional
    ? warn(name, `${problem.text}；没有它会慢一些 (slower without it)`, problem.mend)
    : fail(name, problem.text, problem.mend)
}

const exposedFinding = (name: string, path: string, mend: string): Finding =>
  warn(
    'rights',
    `${name} ${path} 可被本机其他用户读取 (can be read by others on this computer)`,
    mend,
  )

/** Each driver looks at its own accounts, and at the market when the quotes are its own. */
async function examineClients(config: Config, say: Say): Promise<void> {
  for (const [name, doctor] of Object.entries(having('doctor'))) {
    const accounts = config.accounts.filter(({ driver }) => driver === name)
    // The variant that its own schema has made.
    const market = config.market.source === name ? (config.market as never) : undefined
    if (accounts.length === 0 && market === undefined) continue
    const { examine } = await doctor()
    await examine({ accounts, market, limits: config.limits, dataDir: config.data_dir }, say)
  }
}

/** Text that can be shown to others: tokens are stars already, accounts and names are here. */
function reportOf({ loaded, version, nowMs }: DoctorOptions, findings: readonly Finding[]): string {
  const text = [
    `steward ${version} doctor, ${new Date(nowMs).toISOString()}`,
    '',
    ...findings.flatMap(linesOf),
    '',
    formatEffective(loaded),
  ].join('\n')
  const { accounts, tokens } = loaded.config
  return redact(text, [
    ...accounts.map(({ account_id: id }) => [id, maskAccount(id)] as const),
    ...unnamedAccounts(loaded.config).map((id) => [id, maskAccount(id)] as const),
    // As they stand among the settings: short ones would be met anywhere.
    ...accounts.map(({ alias }) => [JSON.stringify(alias ?? ''), '"<alias>"'] as const),
    ...tokens.map(({ name }) => [JSON.stringify(name), '"<token>"'] as const),
    [homedir(), '~'],
    [userInfo().username, '<user>'],
    [hostname(), '<host>'],
  ])
}

/** A name of Chinese characters is short. */
const leastCharsOf = (name: string): number => (/[^\0-\x7f]/.test(name) ? 2 : 3)
/** The folder of a user, of this one or another, up to his name. */
const HOMES = /((?:\b[a-z]:)?[\\/]+(?:users|home)[\\/]+)[^\\/"\n]+/gi
const SIGNS = /[.*+?^${}()|[\]\\]/g

/**
 * Longer texts first, so that a name inside a path does not spoil the path. Very short ones say nothing. In any case of their
 * letters and with either slash, because Windows takes a path in all of them.
 */
export function redact(
  text: string,
  secrets: readonly (readonly [secret: string, shown: string])[],
): string {
  return [...secrets]
    .filter(([secret]) => secret.length >= leastCharsOf(secret))
    .sort(([a], [b]) => b.length - a.length)
    .reduce((result, [secret, shown]) => {
      const inJson = JSON.stringify(secret).slice(1, -1)
      const spellings = new Set([secret, inJson, secret.replaceAll('\\', '/')])
      return [...spellings].reduce(
        (so, spelling) =>
          so.replaceAll(new RegExp(spelling.replaceAll(SIGNS, '\\$&'), 'gi'), () => shown),
        result,
      )
    }, text)
    .replaceAll(HOMES, '$1<user>')
}
