import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below the ports that Linux, macOS and Windows choose themselves, for a listener or a connection. */
const FIRST = 20_000
const BLOCKS = 200
/** Its first port is never handed out. */
const BLOCK = 60

/** Listens there; undefined when somebody does. */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = await listening(port)
  if (server === undefined) return false
  server.close()
  await once(server, 'close')
  return true
}

/**
 * The block of this process. Its first port is listened on until the process ends, so that no other one has it, also
 * of tests that somebody else runs: a port that is free may be that of a server which is just being started anew.
 */
async function ownBlock(): Promise<number> {
  for (let tries = 0; tries < BLOCKS; tries++) {
    const first = FIRST + ((process.pid + tries) % BLOCKS) * BLOCK
    const guard = await listening(first)
    if (guard === undefined) continue
    guard.unref()
    return first
  }
  throw new Error(`each of ${BLOCKS} blocks of ports is somebody's`)
}

let home: Promise<number> | undefined
let taken = 0

/**
 * Ports for who must be told one before it listens. One that the system chose for a listener that was closed
 * again it may give to any other process meanwhile: these it gives to nobody.
 */
export async function freePorts(count: number): Promise<number[]> {
  home ??= ownBlock()
  const first = await home
  const found: number[] = []
  for (let tries = 0; found.length < count; tries++) {
    if (tries > BLOCK) throw new Error(`no free port from ${first} to ${first + BLOCK - 1}`)
    const port = first + 1 + (taken++ % (BLOCK - 1))
    if (await isFree(port)) found.push(port)
  }
  return found
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}
