import { writeFileSync } from 'node:fs'
import { homedir, hostname, userInfo } from 'node:os'
import { having } from '../../config/drivers.ts'
import { formatEffective } from '../../config/effective.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { Config } from '../../config/schema.ts'
import { type Finding, fail, fine, warn } from '../../domain/finding.ts'
import { maskAccount } from '../../domain/mask.ts'
import type { Say } from '../../drivers/registration.ts'
import { livesByCalendar } from '../calendar-watch.ts'
import { refusalOfDemo } from '../demo-data.ts'
import { exposedFiles } from '../exposed-files.ts'
import { linesOf } from '../finding-lines.ts'
import { type Tried, tryAll } from '../probe.ts'
import { calendarFinding, clockFinding, dataFindings, logsFinding, nodeFinding } from './machine.ts'
import { portFindings } from './ports.ts'
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
  say(dataFindings(config.data_dir))
  const notDemo = refusalOfDemo(loaded)
  if (notDemo !== undefined) say([fail('configuration', notDemo, CONFIGURATION_MEND)])
  say(logsFinding(config.data_dir))
  const { silence_ms: silenceMs } = config.limits.examine
  say((await tryAll({ dataDir: config.data_dir, silenceMs })).map(triedFinding))
  say(exposedFiles(config).map(({ name, path, mend }) => exposedFinding(name, path, mend)))
  say(await portFindings(config))
  say(proxyFindings(config))
  say([await clockFinding(nowMs, config.data_dir)])
  if (livesByCalendar(config)) say([calendarFinding(nowMs)])
  await examineClients(config, say)
  const failed = findings.filter(({ status }) => status === 'fail').length
  const warned = findings.filter(({ status }) => status === 'warn').length
  write(`${findings.length} looked at, ${failed} to mend, ${warned} to think about`)
  if (reportFile !== undefined) {
    writeFileSync(reportFile, reportOf(options, findings), { mode: 0o600 })
    write(`report: ${reportFile} (no token, no account number, no name in it)`)
  }
  return failed === 0
}

const CONFIGURATION_MEND = 'steward where names the place in which it is looked for'

/** A package of machine code, or the database that was tried. */
function triedFinding({ name, isOptional, problem }: Tried): Finding {
  if (problem === undefined)
    return fine(name, name === 'database' ? 'opened, written and read' : 'loads')
  return isOptional
    ? warn(name, `${problem.text}; slower without it`, problem.mend)
    : fail(name, problem.text, problem.mend)
}

const exposedFinding = (name: string, path: string, mend: string): Finding =>
  warn('rights', `${name} ${path} can be read by others on this computer`, mend)

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
  return redact(text, [
    ...loaded.config.accounts.map(({ account_id: id }) => [id, maskAccount(id)] as const),
    [homedir(), '~'],
    [userInfo().username, '<user>'],
    [hostname(), '<host>'],
  ])
}

const NAME_CHARS_LEAST = 3

/** Longer texts first, so that a name inside a path does not spoil the path. Very short ones say nothing. */
export function redact(
  text: string,
  secrets: readonly (readonly [secret: string, shown: string])[],
): string {
  return [...secrets]
    .filter(([secret]) => secret.length >= NAME_CHARS_LEAST)
    .sort(([a], [b]) => b.length - a.length)
    .reduce((result, [secret, shown]) => {
      const spellings = new Set([secret, JSON.stringify(secret).slice(1, -1)])
      return [...spellings].reduce((so, spelling) => so.replaceAll(spelling, shown), result)
    }, text)
}
