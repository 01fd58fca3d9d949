import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import type { Config } from '../../config/schema.ts'
import { type Finding, fail, fine, reasonOf } from '../../domain/finding.ts'

const run = promisify(execFile)
const TOOL_MS_MAX = 5_000
const LISTENING = '0A'

interface Wanted {
  readonly name: string
  readonly host: string
  readonly port: number
}

/** Every fixed port that the service would open, and who has it when it cannot. */
export async function portFindings({
  gateway,
  direct,
  accounts,
}: Config): Promise<readonly Finding[]> {
  const wanted: Wanted[] = [{ name: 'gateway port', host: gateway.host, port: gateway.port }]
  if (direct.base_port !== 0) {
    accounts.forEach((_, index) => {
      const port = direct.base_port + index
      wanted.push({ name: `direct port ${index + 1}`, host: direct.host, port })
    })
  }
  return Promise.all(wanted.filter(({ port }) => port !== 0).map(portFinding))
}

async function portFinding({ name, host, port }: Wanted): Promise<Finding> {
  const problem = await tryListen(host, port)
  if (problem === undefined) return fine(name, `${host}:${port} is free`)
  if (problem !== 'EADDRINUSE') {
    const mend = 'choose another port or host in the configuration'
    return fail(name, `${host}:${port} cannot be opened (${problem})`, mend)
  }
  const holder = await holderOf(port)
  const mend = 'end that program (or this service, if it runs), or choose another port'
  return fail(name, `${host}:${port} is taken by ${holder ?? 'a program of another user'}`, mend)
}

function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(reasonOf(error)))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** Name and number of the process that listens; undefined when this user may not see it. */
async function holderOf(port: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') return linuxHolder(port)
    if (process.platform === 'win32') return await windowsHolder(port)
    const words = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']
    const { stdout } = await run('lsof', words, { timeout: TOOL_MS_MAX })
    const [pid, name] = stdout.split('\n').map((line) => line.slice(1))
    return pid === undefined ? undefined : `${name} (process ${pid})`
  } catch {
    return undefined
  }
}

function linuxHolder(port: number): string | undefined {
  const inode = socketInode(port)
  if (inode === undefined) return undefined
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (!holdsSocket(pid, inode)) continue
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
    return `${name} (process ${pid})`
  }
  return undefined
}

function socketInode(port: number): string | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/)
      if (fields[1]?.endsWith(`:${hex}`) && fields[3] === LISTENING) return fields[9]
    }
  }
  return undefined
}

function holdsSocket(pid: string, inode: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some(
      (entry) => readlinkSync(`${folder}/${entry}`) === `socket:[${inode}]`,
    )
  } catch {
    return false // gone, or another user's
  }
}

async function windowsHolder(port: number): Promise<string | undefined> {
  const { stdout } = await run('netstat', ['-ano', '-p', 'TCP'], { timeout: TOOL_MS_MAX })
  const line = stdout.split(/\r?\n/).find((text) => {
    const fields = text.trim().split(/\s+/)
    return (
      fields[1]?.endsWith(`:${port}`) === true && /^(0\.0\.0\.0|\[::\]):0$/.test(fields[2] ?? '')
    )
  })
  const pid = line?.trim().split(/\s+/).at(-1)
  if (pid === undefined) return undefined
  const words = ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']
  const listed = await run('tasklist', words, { timeout: TOOL_MS_MAX })
  const [name = 'a program'] = listed.stdout.split(',')
  return `${name.replaceAll('"', '').trim()} (process ${pid})`
}
