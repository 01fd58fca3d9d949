import { generateKeyPairSync } from 'node:crypto'
import { rmSync } from 'node:fs'
import { hasStrangers } from '../../cluster/presence.ts'
import type { RunAsked, RunName } from '../../config/arguments.ts'
import { formatEffective } from '../../config/effective.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { isHeld } from '../../config/rename.ts'
import { checkReplayFile } from '../../market/replay-cursor.ts'
import { certificateWarnings } from '../access/certificate.ts'
import { unnamedWarnings } from '../accounts/unnamed-accounts.ts'
import { verifyAudit } from '../audit/audit-command.ts'
import { backUpAll } from '../backups/backup-command.ts'
import { scheduleBackups } from '../backups/schedule-command.ts'
import { closedDaysWarnings } from '../calendar/closed-days-look.ts'
import { obeyCluster } from '../cluster/cluster-command.ts'
import { refusalOf } from '../data/data-folder.ts'
import { STRANGERS } from '../data/stopped.ts'
import { writeNew } from '../data/write-new.ts'
import { examine } from '../doctor/doctor.ts'
import { exposedWarnings } from '../doctor/exposed-files.ts'
import { ownDistribution } from '../process/program-folder.ts'
import { restore } from '../restore/restore-command.ts'
import { backupLimits } from '../settings/limits.ts'
import { update } from '../update/update-command.ts'
import { makeScript } from './script-command.ts'
import { carryOut, newSecret, registeredFor } from './token-command.ts'
import { uninstall } from './uninstall-command.ts'
import { whereabouts } from './where-command.ts'

const EXIT = { failed: 1, wrong: 2 } as const

/** What became of a command. */
export interface Conclusion {
  /** For standard error. */
  readonly lines?: readonly string[]
  /** Exit code; absent: 0. */
  readonly code?: number
}

/** It has done all it was asked. */
export const DONE: Conclusion = {}
const wrong = (lines: readonly string[]): Conclusion => ({ lines, code: EXIT.wrong })

export interface Surroundings {
  /** Takes each finished line of the answer. */
  readonly write: (line: string) => void
  /** Of this program. */
  readonly version: string
}

/** What each command does. */
export type Doing<Name extends RunName> = {
  readonly [C in Name]: (
    loaded: LoadedConfig,
    asked: RunAsked[C],
    around: Surroundings,
  ) => Promise<Conclusion> | Conclusion
}

/**
 * What the system refuses and no command has words for, as a file that another program has open: one line.
 * Errors  throws all else: a bug needs its stack.
 */
export function refusedBySystem(error: unknown): Conclusion {
  if (!(error instanceof Error) || typeof Reflect.get(error, 'syscall') !== 'string') throw error
  const { message } = error
  if (isHeld(error)) return { lines: [`${message}${HELD_MEND}`], code: EXIT.failed }
  const isDenied = DENIED.has(Reflect.get(error, 'code'))
  return isDenied ? wrong([`${message}${DENIED_MEND}`]) : { lines: [message], code: EXIT.failed }
}

const HELD_MEND =
  '；请关闭打开它的窗口和程序后重试 (close every window and program that has it open, then try again)'
/** As where a command is run by another user than the service: nobody has looked at anything then. */
const DENIED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM'])
const DENIED_MEND =
  '；请用服务所属的用户执行，或修正它的权限 (run this as the user of the service, or mend the rights)'

/** Every command that reads the configuration, but those that serve. */
export const COMMANDS_DONE: Doing<Exclude<RunName, 'up' | 'gateway' | 'direct'>> = {
  async check(loaded, _, { write }) {
    const { market, data_dir: dataDir } = loaded.config
    const refusal = refusalOf(dataDir)
    if (refusal !== undefined) return wrong([refusal])
    const file = market.source === 'replay' ? await checkReplayFile(market.file) : undefined
    if (file?.ok === false) return wrong([`market.file: ${file.error}`])
    const { config } = loaded
    const unnamed = await unnamedWarnings(config)
    const warnings = [
      ...loaded.warnings,
      ...exposedWarnings(config),
      ...certificateWarnings(config, Date.now()),
      ...closedDaysWarnings(config, Date.now()),
      ...unnamed,
    ]
    write(formatEffective({ ...loaded, warnings }))
    return DONE
  },

  /** Exit code 0 when nothing is to mend, 1 when something is. */
  async doctor(loaded, { reportFile }, { write, version }) {
    const isWell = await examine({ loaded, write, reportFile, version, nowMs: Date.now() })
    return isWell ? DONE : { code: EXIT.failed }
  },

  /** Exit code 0 when every journal is sound, as far as it was asked; 1 when one is not. */
  async audit({ config }, asked, { write }) {
    const { accountId, headsFile, publicKeyFile } = asked
    if (await hasStrangers(config.data_dir)) return wrong([STRANGERS])
    const sound = await verifyAudit({
      config,
      ...(accountId !== undefined && { accountId }),
      ...(headsFile !== undefined && { headsFile }),
      ...(publicKeyFile !== undefined && { publicKeyFile }),
      write,
    })
    if (!sound.ok) return wrong([sound.error])
    return sound.value ? DONE : { code: EXIT.failed }
  },

  async backup({ config }, asked, { write }) {
    if ('schedule' in asked) {
      const scheduled = scheduleBackups(config.data_dir, asked)
      if (!scheduled.ok) {
        const { text, isWrong } = scheduled.error
        return { lines: [text], code: isWrong ? EXIT.wrong : EXIT.failed }
      }
      for (const line of scheduled.value) write(line)
      return DONE
    }
    const { target } = asked
    if (await hasStrangers(config.data_dir)) return wrong([STRANGERS])
    const limits = backupLimits(config.limits)
    const done = await backUpAll({ dataDir: config.data_dir, target, limits, write })
    if (done.ok) return DONE
    return { lines: [done.error.text], code: done.error.isPartial ? EXIT.failed : EXIT.wrong }
  },

  async restore({ config }, { backup }, { write }) {
    const done = await restore({ config, backup, at: new Date(), write })
    if (done.ok) return DONE
    return { lines: [done.error.text], code: done.error.isWrong ? EXIT.wrong : EXIT.failed }
  },

  where(loaded, _, { write, version }) {
    for (const line of whereabouts(loaded, version)) write(line)
    return DONE
  },

  async update({ config }, { from }, { write }) {
    const own = ownDistribution()
    if (own === undefined) return from === undefined ? ofClone(write) : wrong([OF_CLONE])
    if (from === undefined) {
      return wrong(['steward update 需要 --from 新版压缩包 (needs --from ARCHIVE)'])
    }
    const done = await update({ config, own, from, nowMs: Date.now(), write })
    if (done.ok) return DONE
    return { lines: [done.error.text], code: done.error.isWrong ? EXIT.wrong : EXIT.failed }
  },

  async uninstall(loaded, { isDataRemoved, confirm }, { write }) {
    const done = await uninstall({ loaded, isDataRemoved, confirm, write })
    return done.ok ? DONE : wrong([done.error])
  },

  script({ config }, asked, { write, version }) {
    const done = makeScript({ config, asked, version, cwd: process.cwd() })
    if (!done.ok) {
      return { lines: [done.error.text], code: done.error.isWrong ? EXIT.wrong : EXIT.failed }
    }
    for (const line of done.value) write(line)
    return DONE
  },

  /** Exit code 0 when nothing is to mend, 1 when something is. */
  async cluster({ config }, { asked }, { write }) {
    const done = await obeyCluster(config, asked, write)
    if (!done.ok) return wrong([done.error])
    return done.value ? DONE : { code: EXIT.failed }
  },

  async token(loaded, { asked }) {
    const done = carryOut(loaded, asked, await registeredFor(loaded.config, asked))
    if (!done.ok) {
      return { lines: [done.error.text], code: done.error.isWrong ? EXIT.wrong : EXIT.failed }
    }
    process.stdout.write(done.value)
    return DONE
  },
}

const OF_CLONE =
  '这是源码目录：停止服务，git pull，再 node scripts/setup.mjs (a clone: stop the service, git pull, then node scripts/setup.mjs)'

function ofClone(write: Surroundings['write']): Conclusion {
  write(OF_CLONE)
  return DONE
}

/** A token nobody can guess, shown once, and the entry of the file that lets it in. */
export function newToken(asked: { readonly name: string; readonly scope: string }): string {
  const { name, scope } = asked
  const { token, hash } = newSecret()
  return [
    '令牌，只显示这一次 (the token, shown this once):',
    `  ${token}`,
    '写入 steward.config.json 的 "tokens" (the entry for "tokens" of steward.config.json):',
    `  ${JSON.stringify({ name, hash, scope })}`,
    '可选字段 (optional): "accounts": ["10000001"], "expires": "2027-12-31"',
    '无需改文件、立即生效 (without the file, and at once): steward token add --name N',
    '',
  ].join('\n')
}

const unwrittenKey = (file: string, code: unknown): string =>
  `--to ${file}: 无法写入（${String(code)}） (cannot be written (${String(code)}))`

/** Writes both halves of a key; an existing file is never replaced. */
export function newKey(file: string, write: Surroundings['write']): Conclusion {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const publicFile = `${file}.pub`
  try {
    writeNew(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600)
  } catch (error) {
    return wrong([unwrittenKey(file, Reflect.get(Object(error), 'code'))])
  }
  try {
    writeNew(publicFile, publicKey.export({ type: 'spki', format: 'pem' }))
  } catch (error) {
    rmSync(file, { maxRetries: 5 }) // half a pair is of no use, and in the way of the next try
    return wrong([unwrittenKey(publicFile, Reflect.get(Object(error), 'code'))])
  }
  write(`私钥，只有本服务可读 (private key, for audit.key_file): ${file}`)
  write(`公钥，请另存他处用于校验 (public key, keep it elsewhere, for --public-key): ${publicFile}`)
  return DONE
}
