import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { win32 } from 'node:path'
import { text } from 'node:stream/consumers'
import { isImporting, SLOW_IMPORT_MEND, spawnFailure, spawnPython } from './launch.ts'

/** What an interpreter says of itself and of xtquant. */
export interface PythonAnswer {
  readonly python: string
  readonly bits: number
  readonly xtquant?: { readonly path: string; readonly version: string }
  readonly error?: string
  /** Packages that history needs: their versions, or why they cannot be loaded. When it was asked for. */
  readonly history?: Readonly<
    Record<string, { readonly version?: string; readonly error?: string }>
  >
}

/** Why there is no answer, and how to mend it. */
export interface PythonProblem {
  readonly text: string
  readonly mend: string
}

const INSTALL =
  '请安装 64 位 Python 3.8 至 3.13，并写在 accounts[].xt.python (install 64-bit Python 3.8 to 3.13 and name it in accounts[].xt.python)'
const NO_STUB =
  '请从 python.org 安装 64 位 Python 3.8 至 3.13，并把它的 python.exe 写在 accounts[].xt.python；占位程序可在“设置 → 应用 → 应用执行别名”中关闭 (install 64-bit Python 3.8 to 3.13 from python.org and name its python.exe in accounts[].xt.python; the stub is switched off in Settings, Apps, App execution aliases)'
/** Of cmd.exe for a program that is not there; the stub ends with it too. */
const NOT_FOUND = 9_009
const WORDS_MAX = 200

/** Asks an interpreter, which is ended after `waitMs`; on demand also for what history needs. */
export async function askPython(
  python: string,
  xtquantPath: string,
  waitMs: number,
  isForHistory = false,
): Promise<PythonAnswer | PythonProblem> {
  const child = begun(python)
  if ('mend' in child) return child
  const failed = new Promise<PythonProblem>((resolve) => {
    child.once('error', (error) => resolve({ text: spawnFailure(python, error), mend: INSTALL }))
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), waitMs)
  child.stdin?.on('error', () => undefined)
  const wanted = { role: 'probe', xtquant_path: xtquantPath, history: isForHistory }
  child.stdin?.end(`${JSON.stringify(wanted)}\n`)
  // None where no descriptor was left for it, whatever its type says; `failed` tells of that.
  const said = async (stream: typeof child.stdout | undefined) => (stream ? text(stream) : '')
  const ended = Promise.all([said(child.stdout), said(child.stderr), once(child, 'close')])
  ended.catch(() => undefined) // a program that did not start is told by `failed`
  const outcome = await Promise.race([failed, ended])
  clearTimeout(timer)
  if ('mend' in outcome) return outcome
  const [stdout, stderr, [code]] = outcome
  return readAnswer({ python, stdout, stderr, code: typeof code === 'number' ? code : null })
}

function begun(python: string): ChildProcess | PythonProblem {
  try {
    return spawnPython(python, ['--spawned'])
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), mend: INSTALL }
  }
}

/** What an interpreter has left behind. */
export interface PythonEnd {
  readonly python: string
  readonly stdout: string
  readonly stderr: string
  /** Null: it was ended. */
  readonly code: number | null
}

/** The computer it ran on. */
export interface PythonPlace {
  readonly platform: NodeJS.Platform
  readonly path: string
  readonly exists: (file: string) => boolean
}

/** Its answer, or in words why it gave none. */
export function readAnswer(
  end: PythonEnd,
  place: PythonPlace = {
    platform: process.platform,
    path: process.env['PATH'] ?? '',
    exists: existsSync,
  },
): PythonAnswer | PythonProblem {
  const answer = parseAnswer(end.stdout)
  if (answer !== undefined) return answer
  if (isStoreStub(end, place)) {
    return {
      text: '不是 Python，而是打开微软商店的占位程序 (no Python, but the stub that opens the Microsoft Store)',
      mend: NO_STUB,
    }
  }
  if (end.code === null && isImporting(end.stderr)) {
    return {
      text: 'Python 正常，但 xtquant 未能及时加载 (Python runs, but xtquant was not loaded in time)',
      mend: SLOW_IMPORT_MEND,
    }
  }
  const last = `${end.stdout}\n${end.stderr}`.trim().split(/\r?\n/).at(-1) ?? ''
  const [zh, en] =
    end.code === null
      ? ['未及时结束', 'it did not end in time']
      : [`退出码 ${end.code}`, `exit code ${end.code}`]
  const words = last === '' ? '' : `: ${last.slice(0, WORDS_MAX)}`
  return { text: `没有应答，${zh} (it gave no answer, ${en})${words}`, mend: INSTALL }
}

function parseAnswer(stdout: string): PythonAnswer | undefined {
  try {
    const value: unknown = JSON.parse(stdout)
    return typeof value === 'object' && value !== null && 'bits' in value
      ? (value as PythonAnswer)
      : undefined
  } catch {
    return undefined // not our program
  }
}

/** Windows puts a python.exe on the path that is none. A real one out of the store answers, so it never comes here. */
function isStoreStub({ python, stderr, code }: PythonEnd, { platform, path, exists }: PythonPlace) {
  if (platform !== 'win32') return false
  if (code === NOT_FOUND || /Microsoft Store/i.test(stderr)) return true
  const file = python.toLowerCase().endsWith('.exe') ? python : `${python}.exe`
  const first = path.split(';').find((folder) => exists(win32.join(folder, file)))
  return /\\WindowsApps(\\|$)/i.test(/[\\/]/.test(python) ? win32.dirname(python) : (first ?? ''))
}
