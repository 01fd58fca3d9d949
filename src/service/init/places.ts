import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { win32 } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FolderTree, Start } from './terminals.ts'

const TOOL_MS_MAX = 5_000
const TOOL_BYTES_MAX = 4_194_304
/** A drive that is not there any more may keep its caller for half a minute. */
const FOLDER_MS_MAX = 1_500
const DRIVES = [...'CDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`)
/** Processes of a terminal, of which the path says where it is installed. */
const PROGRAMS = 'XtMiniQmt,XtItClient'
const UNINSTALL = [
  'HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall',
  'HKLM\\SOFTWARE\\WOW6432Node\\Microsoft\\Windows\\CurrentVersion\\Uninstall',
  'HKCU\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall',
]

/** The files of this computer; a folder that does not answer in time counts as unreadable. */
export const ownFiles: FolderTree = {
  nowMs: () => performance.now(),
  async list(folder) {
    const read = readdir(folder, { withFileTypes: true }).then(
      (entries) => entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() })),
      () => undefined,
    )
    return Promise.race([read, delay(FOLDER_MS_MAX, undefined, { ref: false })])
  },
}

/**
 * Where terminals are usually installed on Windows: roots of drives, the folders of programs, what installers have
 * noted, and where one runs now. Elsewhere there is no terminal to be found.
 */
export async function usualPlaces(platform = process.platform): Promise<readonly Start[]> {
  if (platform !== 'win32') return []
  const [running, noted] = await Promise.all([runningPrograms(), notedByInstallers()])
  const crowded = [
    ...DRIVES,
    ...['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap(
      (name) => process.env[name] ?? [],
    ),
    win32.join(homedir(), 'Desktop'),
  ]
  return [
    ...[...running, ...noted].map((folder) => ({ folder, isCrowded: false })),
    ...crowded.map((folder) => ({ folder, isCrowded: true })),
  ]
}

async function runningPrograms(): Promise<readonly string[]> {
  const script = `[Console]::OutputEncoding=[Text.Encoding]::UTF8; (Get-Process ${PROGRAMS} -ErrorAction SilentlyContinue).Path`
  const said = await output('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script])
  return installedBy(said)
}

/** `D:\QMT\bin.x64\XtMiniQmt.exe` → `D:\QMT`. */
export const installedBy = (said: string): readonly string[] =>
  said
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => /\.exe$/i.test(line))
    .map((line) => win32.dirname(win32.dirname(line)))

async function notedByInstallers(): Promise<readonly string[]> {
  const said = await Promise.all(
    UNINSTALL.map((key) => output('reg.exe', ['query', key, '/s', '/v', 'InstallLocation'])),
  )
  return said.flatMap(notedLocations)
}

/** Of what `reg query` lists, the places whose key or path has the name of a terminal. */
export function notedLocations(said: string): readonly string[] {
  const found: string[] = []
  let key = ''
  for (const line of said.split(/\r?\n/)) {
    if (/^HKEY_/.test(line)) key = line
    const [, place = ''] = /^\s+InstallLocation\s+REG_\w+\s+(.+?)\s*$/.exec(line) ?? []
    const path = place.replace(/^"|"$/g, '')
    if (/^[A-Za-z]:\\/.test(path) && /qmt|迅投|交易端|交易终端/i.test(`${key} ${path}`))
      found.push(path)
  }
  return found
}

/** What a tool of the system prints; empty when it is missing, fails or takes too long. */
function output(program: string, args: readonly string[]): Promise<string> {
  const options = {
    timeout: TOOL_MS_MAX,
    maxBuffer: TOOL_BYTES_MAX,
    windowsHide: true,
    encoding: 'buffer',
  } as const
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, stdout) =>
      resolve(error === null ? consoleText(stdout) : ''),
    )
  })
}

/** A Chinese console speaks GBK unless it was told to speak UTF-8. */
export function consoleText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('gb18030').decode(bytes)
  }
}
