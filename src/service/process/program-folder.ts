import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the program: of the project, or `app` of what was unpacked. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const ANSWER_MS_MAX = 60_000

/** What was unpacked from an archive of `npm run dist`. */
export interface Distribution {
  /** The folder that came out of the archive, with `app` in it. */
  readonly folder: string
  readonly version: string
  /** As `win32-x64`. */
  readonly platform: string
}

/** The distribution in a folder; undefined: there is none. */
export function distributionIn(folder: string): Distribution | undefined {
  const file = join(folder, 'app', 'distribution.json')
  if (!existsSync(file)) return undefined
  try {
    const { version, platform } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    const isSound = typeof version === 'string' && typeof platform === 'string'
    return isSound ? { folder, version, platform } : undefined
  } catch {
    return undefined
  }
}

/** The one that runs; undefined: a clone of the sources. */
export const ownDistribution = (): Distribution | undefined =>
  distributionIn(dirname(ROOT.replace(/[\\/]$/, '')))

export const programFolder = (): string => ownDistribution()?.folder ?? ROOT.replace(/[\\/]$/, '')

/** Of the sources that run. */
export function ownVersion(): string {
  const text = readFileSync(join(ROOT, 'package.json'), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}

/** Runs a file of an unpacked program; what it printed, undefined when it failed. */
export function ran(folder: string, file: readonly string[], args: readonly string[]) {
  const path = join(folder, 'app', ...file)
  const options = { timeout: ANSWER_MS_MAX, windowsHide: true, encoding: 'utf8' } as const
  return new Promise<string | undefined>((done) => {
    execFile(process.execPath, [path, ...args], options, (error, stdout) =>
      done(error === null ? stdout.trim() : undefined),
    )
  })
}
