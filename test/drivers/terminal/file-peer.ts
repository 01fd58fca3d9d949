import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAGIC, proofOf, VERSION } from '../../../src/drivers/terminal/frames.ts'

export const TOKEN = 'the-token-of-both'

type Message = Readonly<Record<string, unknown>>

/** The other side of a line on files, in the hands of a test: nothing happens by itself. */
export class FilePeer {
  readonly folder: string
  /** Of whom something was taken first; empty: of nobody yet. */
  session = ''
  #number = 0
  #beats = 0
  life = 'first'

  constructor(folder: string) {
    this.folder = folder
    for (const name of ['cmd', 'out']) mkdirSync(join(folder, name), { recursive: true })
  }

  /** Files of one side, in their order. */
  names(side: 'cmd' | 'out'): string[] {
    return readdirSync(join(this.folder, side)).sort()
  }

  /** Takes everything that has been sent, in the order of its number; a line that ends takes its own back. */
  taken(): Message[] {
    return this.names('cmd').flatMap((name) => {
      if (!name.endsWith('.json')) return []
      const text = this.#textOf(name)
      if (text === undefined) return []
      this.session ||= name.split('-')[0] ?? ''
      return [JSON.parse(text) as Message]
    })
  }

  /** Undefined: its writer has deleted it since it was listed. */
  #textOf(name: string): string | undefined {
    const file = join(this.folder, 'cmd', name)
    try {
      const text = readFileSync(file, 'utf8')
      rmSync(file, { force: true })
      return text
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'ENOENT') return undefined
      throw error
    }
  }

  /** Takes until a message of this kind is among them. */
  async until(kind: string): Promise<Message> {
    for (;;) {
      const found = this.taken().find(({ t }) => t === kind)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }

  put(session: string, number: number, text: string): void {
    const name = `${session}-${String(number).padStart(8, '0')}`
    const draft = join(this.folder, 'out', `${name}.tmp`)
    writeFileSync(draft, text)
    renameSync(draft, join(this.folder, 'out', `${name}.json`))
  }

  /** The next message, as it should be. */
  tell(session: string, message: object): void {
    this.#number += 1
    this.put(session, this.#number, JSON.stringify(message))
  }

  beat(): void {
    this.#beats += 1
    const heartbeat = { n: this.#beats, life: this.life, trade: '', market: '' }
    writeFileSync(join(this.folder, 'heartbeat.json'), JSON.stringify(heartbeat))
  }
}

/** What a sidecar says to greet and to welcome, however its messages travel. */
export const greeting = (nonce: string) => ({ t: 'greet', magic: MAGIC, version: VERSION, nonce })

export const welcomeTo = (hello: Message, nonce: string) => ({
  t: 'welcome',
  role: hello['role'],
  version: VERSION,
  pid: 1,
  python: '3.6.8',
  xtquant: { path: '', version: 'bigqmt' },
  capabilities: ['connect'],
  proof: proofOf(TOKEN, 'sidecar', [String(hello['nonce']), nonce]),
})
