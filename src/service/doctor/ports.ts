import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listenMend } from '../../../http/sockets/server.ts'
import { NODE_LOCK, roleHolder } from '../../cluster/role-lock.ts'
import type { Config } from '../../config/schema.ts'
import { type Finding, fail, fine, reasonOf, warn } from '../../domain/finding.ts'

const run = promisify(execFile)
const TOOL_MS_MAX = 5_000
const LISTENING = '0A'

interface Wanted {
  readonly name: string
  readonly host: string
  readonly port: number
}

/** Every fixed port that the service would open, and who has it when it cannot. */
export async function portFindings(config: Config): Promise<readonly Finding[]> {
  const { gateway, direct, accounts } = config
  const wanted: Wanted[] = [
    { name: 'gateway port', host: gateway.host, port: gateway.port },
    { name: 'gateway port for proxies', host: gateway.host, port: gateway.proxy_port },
  ]
  const row = (name: string, first: number): void => {
    accounts.forEach((_, index) => {
      const place = first === 0 ? 0 : first + index
      wanted.push({ name: `${name} ${index + 1}`, host: direct.host, port: place })
    })
  }
  row('direct port', direct.base_port)
  row('direct port for proxies', direct.proxy_base_port)
  const own = ownProcesses(config)
  return Promise.all(wanted.filter(({ port }) => port !== 0).map((one) => portFinding(one, own)))
}

/** Those that serve this data folder: an account of it in direct mode, or as a node of a cluster. */
async function ownProcesses({ data_dir, accounts }: Config): Promise<ReadonlySet<number>> {
  const roles = accounts.map(({ account_id: folder }) => ({ folder, role: 'direct' }))
  const asked = [...roles, NODE_LOCK].map(async ({ folder, role }) => {
    // Asking would make it, or try for ever where nothing can be made, as in /proc.
    if (!existsSync(join(data_dir, folder))) return undefined
    try {
      return await roleHolder(data_dir, folder, role)
    } catch {
      return undefined // no folder for its sockets: nobody can have any there
    }
  })
  return new Set((await Promise.all(asked)).filter((pid) => pid !== undefined))
}

async function portFinding(
  { name, host, port }: Wanted,
  asked: Promise<ReadonlySet<number>>,
): Promise<Finding> {
  const problem = await tryListen(host, port)
  if (problem === undefined) return fine(name, `${host}:${port} 空闲 (is free)`)
  if (problem !== 'EADDRINUSE') {
    const mend =
      listenMend(problem, process.platform) ??
      '请在配置中换一个端口或 host (choose another port or host in the configuration)'
    return fail(name, `${host}:${port} 无法监听 (cannot be opened (${problem}))`, mend)
  }
  const own = await asked
  return takenFinding(name, `${host}:${port}`, { holder: await holderOf(port), own })
}

/** Who has a port that the service would open. */
export function takenFinding(
  name: string,
  place: string,
  { holder, own }: { readonly holder: Holder | undefined; readonly own: ReadonlySet<number> },
): Finding {
  const running = [...own].join(', ')
  if (holder !== undefined && own.has(holder.pid)) {
    return fine(
      name,
      `${place} 由正在运行的本服务使用 (is served by this service, which runs (process ${holder.pid}))`,
    )
  }
  if (holder === undefined && own.size > 0) {
    const text = `${place} 已被占用，似乎是正在运行的本服务 (is taken, it seems by this service, which runs (process ${running}))`
    return warn(
      name,
      text,
      '要确认请先停止本服务再查一次 (end this service and ask again to be sure)',
    )
  }
  const mend =
    '请结束该程序（或本服务的另一个进程），或换一个端口 (end that program (or another process of this service), or choose another port)'
  const [zh, en] =
    holder === undefined
      ? [
          '另一用户或系统的程序',
          'a program that this user may not see: of another user, or of the system',
        ]
      : [`${holder.name}（进程 ${holder.pid}）`, `${holder.name} (process ${holder.pid})`]
  return fail(name, `${place} 被 ${zh} 占用 (is taken by ${en})`, mend)
}

function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve(reasonOf(error)))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

interface Holder {
  readonly name: string
  readonly pid: number
}

/** The process that listens; undefined when this user may not see it. */
async function holderOf(port: number): Promise<Holder | undefined> {
  try {
    if (process.platform === 'linux') return linuxHolder(port)
    if (process.platform === 'win32') return await windowsHolder(port)
    const words = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']
    const { stdout } = await run('lsof', words, { timeout: TOOL_MS_MAX })
    const [pid, name] = stdout.split('\n').map((line) => line.slice(1))
    return pid === undefined ? undefined : { name: name ?? 'a program', pid: Number(pid) }
  } catch {
    return undefined
  }
}

function linuxHolder(port: number): Holder | undefined {
  const inode = socketInode(port)
  if (inode === undefined) return undefined
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (!holdsSocket(pid, inode)) continue
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
    return { name, pid: Number(pid) }
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

async function windowsHolder(port: number): Promise<Holder | undefined> {
  const tables = ['TCP', 'TCPv6'].map(async (protocol) => {
    const { stdout } = await run('netstat', ['-ano', '-p', protocol], { timeout: TOOL_MS_MAX })
    return stdout
  })
  const pid = listenerIn((await Promise.all(tables)).join('\n'), port)
  if (pid === undefined) return undefined
  const words = ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']
  const listed = await run('tasklist', words, { timeout: TOOL_MS_MAX }).catch(() => undefined)
  const [, name = 'a program'] = /^"([^"]+)"/m.exec(listed?.stdout ?? '') ?? []
  return { name, pid }
}

/** The process that listens on a port, in what netstat says. Its words are of the user's language: the far end tells. */
export function listenerIn(table: string, port: number): number | undefined {
  for (const line of table.split(/\r?\n/)) {
    const [, here, there, ...rest] = line.trim().split(/\s+/)
    const isListening = there === '0.0.0.0:0' || there === '[::]:0'
    if (here?.endsWith(`:${port}`) !== true || !isListening) continue
    const pid = Number(rest.at(-1))
    if (Number.isInteger(pid)) return pid
  }
  return undefined
}
