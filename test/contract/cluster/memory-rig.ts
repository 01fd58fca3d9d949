import { CODES, EngineError } from '../../../src/cluster/nats/engine-error.ts'
import type { Written } from '../../../src/cluster/node/engine.ts'
import type { JournalClient, JournalRig } from './rig.ts'

const conflict = () => new EngineError('conflict', 'wrong last sequence', CODES.wrongLastSequence)
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The least that keeps journals: lists in memory. What it accepts is what each engine must accept. `changed`: a key was written. */
export function memoryRig(changed: (key: string) => void = () => undefined): JournalRig {
  const journals = new Map<string, Written[]>()
  const keys = new Map<string, Written>()
  let seq = 0

  const listOf = (acct: string): Written[] => {
    const list = journals.get(acct) ?? []
    journals.set(acct, list)
    return list
  }
  const write = async (key: string, bytes: Uint8Array, revision: number): Promise<number> => {
    await turn()
    if ((keys.get(key)?.seq ?? 0) !== revision) throw conflict()
    const written = ++seq
    keys.set(key, { seq: written, bytes })
    changed(key)
    return written
  }
  const client: JournalClient = {
    journals: {
      async append(acct, bytes, { expectedSeq }) {
        await turn()
        const list = listOf(acct)
        if ((list.at(-1)?.seq ?? 0) !== expectedSeq) throw conflict()
        const written = { seq: ++seq, bytes }
        list.push(written)
        await turn()
        return written.seq
      },
      async tail(acct) {
        await turn()
        return listOf(acct).at(-1)
      },
      async *readFrom(acct, from) {
        yield* listOf(acct).filter((written) => written.seq >= from)
      },
    },
    control: {
      update: (key, bytes, { revision }) => write(key, bytes, revision),
      async standing(key) {
        await turn()
        const { seq: revision, bytes } = keys.get(key) ?? { seq: 0 }
        return { entry: bytes && { bytes, revision }, revision }
      },
    },
  }
  return { client: () => Promise.resolve(client) }
}
