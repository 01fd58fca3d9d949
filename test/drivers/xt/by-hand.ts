import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { inTime } from '../../in-time.ts'
import { FAKE, PYTHON } from './rig.ts'

const BRIDGE = fileURLToPath(new URL('../../../src/drivers/xt/sidecar/bridge.py', import.meta.url))

export interface ByHand {
  readonly port: number
  readonly tokenFile: string
  readonly token: string
  readonly child: ChildProcess
}

/** A sidecar as a person starts it, on a free port; ended with the test. */
export async function startByHand(t: Test, folder: string): Promise<ByHand> {
  const place = join(folder, 'by-hand')
  const words = ['-B', BRIDGE, '--folder', place, '--listen', '0', '--xtquant', FAKE]
  const child = spawn(PYTHON, words, { stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => child.kill('SIGKILL'))
  const told = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    child.once('exit', (code) => reject(new Error(`the sidecar ended with ${code}`)))
  })
  const line = await inTime(told, 'the first line of the sidecar')
  const { port } = JSON.parse(line) as { port: number }
  const tokenFile = join(place, 'token')
  return { port, tokenFile, token: readFileSync(tokenFile, 'utf8').trim(), child }
}
