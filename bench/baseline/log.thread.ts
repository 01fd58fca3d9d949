import { parentPort, workerData } from 'node:worker_threads'
import { open } from 'lmdb'

interface Entry {
  readonly id: number
  readonly bytes: Uint8Array
}

/** Durable as the service is: a transaction is on disk when it returns. */
const database = open<Uint8Array, number>({
  path: workerData as string,
  noSubdir: false,
  overlappingSync: false,
  encoding: 'binary',
})
let waiting: Entry[] = []

/** Everything that came while the last transaction was written goes into one. */
function flush(): void {
  const group = waiting
  waiting = []
  database.transactionSync(() => {
    for (const { id, bytes } of group) void database.put(id, Buffer.from(bytes))
  })
  parentPort?.postMessage(group.map(({ id }) => id))
}

parentPort?.on('message', (entry: Entry | 'close') => {
  if (entry === 'close') {
    void database.close().then(() => process.exit(0))
    return
  }
  if (waiting.push(entry) === 1) setImmediate(flush)
})
