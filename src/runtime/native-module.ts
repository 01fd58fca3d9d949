import { existsSync } from 'node:fs'
import { win32 } from 'node:path'

/** A package of machine code that the process cannot do without was not loaded. `message` is for the operator. */
export class NativeModuleError extends Error {
  override readonly name = 'NativeModuleError'

  constructor(module: string, { text, mend }: LoadProblem, cause: unknown) {
    super(`无法加载 ${module} (cannot load ${module}): ${text}; ${mend}`, { cause })
  }
}

/** Why a package of machine code does not load, and how to mend it: one line each. */
export interface LoadProblem {
  readonly text: string
  readonly mend: string
}

/** What is asked about this computer. */
export interface Computer {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly exists: (path: string) => boolean
}

/** Windows has no runtime for C++ of its own; a package that needs it is not told which file was not found. */
const CPP_RUNTIME = ['vcruntime140.dll', 'vcruntime140_1.dll', 'msvcp140.dll']
const INSTALL =
  '请安装 Microsoft Visual C++ Redistributable (x64) 后重试 (install it, then try again): https://aka.ms/vs/17/release/vc_redist.x64.exe'
const PUT_BACK =
  '若被杀毒软件删除或隔离，请恢复；否则重新运行 npm run setup，或重新解压 (if a virus scanner took a file away, give it back; else run npm run setup, or unpack the program again)'

/**
 * @param message  of the error: that of the system, or of a package that has wrapped it
 * @param needsCppRuntime  its binary for Windows is linked to the runtime of C++
 */
export function whyNotLoaded(
  message: string,
  needsCppRuntime: boolean,
  computer: Computer = { platform: process.platform, env: process.env, exists: existsSync },
): LoadProblem {
  const reason = reasonIn(message)
  const missing = needsCppRuntime ? missingRuntime(reason, computer) : []
  if (missing.length === 0) return { text: reason, mend: PUT_BACK }
  const names = missing.join(', ')
  return { text: `缺少 ${names} (missing: ${names}): ${reason}`, mend: INSTALL }
}

/** What the system said, without what a package has put in front of it, in one line. */
function reasonIn(message: string): string {
  const [last = message] = message
    .trim()
    .split(/\r?\n\s*\r?\n/)
    .slice(-1)
  return last.replace(/^Error: /, '').replace(/\s*\r?\n\s*/g, ' ')
}

/**
 * Files that are neither beside the binary, nor where the system keeps them, nor on the path. The folder of
 * node.exe is not asked: Windows does not look there for what a loaded library needs.
 */
function missingRuntime(reason: string, { platform, env, exists }: Computer): readonly string[] {
  if (platform !== 'win32') return []
  const [, binary] = /([A-Za-z]:[\\/].*\.node)/.exec(reason) ?? []
  const folders = [
    ...(binary === undefined ? [] : [win32.dirname(binary)]),
    win32.join(env['SystemRoot'] ?? 'C:\\Windows', 'System32'),
    ...(env['Path'] ?? env['PATH'] ?? '').split(';').filter((folder) => folder !== ''),
  ]
  return CPP_RUNTIME.filter((name) => !folders.some((folder) => exists(win32.join(folder, name))))
}
