import { MessageChannel } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { RealHost } from '../../src/drivers/host.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { DriverEvent } from '../../src/protocol/driver.ts'
import { inTime } from '../in-time.ts'

interface Account {
  readonly account_id: string
  readonly xt: { readonly path: string }
}

const account = (path: string): Account => ({ account_id: '10000001', xt: { path } })

/** A host whose connections say which of them it was that answered; those that were closed are in `closed`. */
function hostOf(t: Test) {
  const closed: string[] = []
  let made = 0
  const host = new RealHost<Account>({
    log: silentLogger,
    lingerMs: 600_000,
    connect: ({ xt: { path } }) => {
      made += 1
      const name = `${made} ${path}`
      return {
        close: () => void closed.push(name),
        driver: () => {
          let tell: (event: DriverEvent) => void = () => undefined
          return {
            open: (sink) => {
              tell = sink
            },
            close: () => undefined,
            send: ({ callId }) => {
              const result = { ok: false, error: { code: 'FAILED', message: name } } as const
              tell({ kind: 'connectAnswered', callId, result })
            },
          }
        },
      }
    },
  })
  t.teardown(() => host.close())
  /** The connection that a thread of this account reaches. */
  const reach = async (path: string): Promise<string> => {
    const { port1, port2 } = new MessageChannel()
    const answer = new Promise<DriverEvent>((resolve) => {
      port2.once('message', (bytes: Uint8Array) => resolve(decode<DriverEvent>(bytes)))
    })
    host.introduce({ slot: 1, account: account(path) }, port1)
    port2.postMessage(encode({ kind: 'open', epoch: 1 }))
    port2.postMessage(encode({ kind: 'command', command: { kind: 'connect', callId: 1 } }))
    const event = await inTime(answer, 'the answer of a driver')
    port2.close()
    const isRefused = event.kind === 'connectAnswered' && !event.result.ok
    return isRefused ? event.result.error.message : ''
  }
  return { host, reach, closed }
}

t.test('the next life of an account has the connection of the one before', async (t) => {
  const { host, reach, closed } = hostOf(t)
  t.equal(await reach('C:/one'), '1 C:/one')
  host.leave('10000001')
  t.equal(await reach('C:/one'), '1 C:/one')
  t.equal(await reach('C:/one'), '1 C:/one', 'also when nobody said that it left')
  t.strictSame(closed, [])
})

t.test('F460 an account that is registered anew does not get its former connection', async (t) => {
  const { host, reach, closed } = hostOf(t)
  t.equal(await reach('C:/wrong'), '1 C:/wrong')
  host.leave('10000001')
  t.equal(await reach('C:/right'), '2 C:/right')
  t.strictSame(closed, ['1 C:/wrong'], 'it holds the folder of the account')
  host.leave('10000001')
  t.equal(await reach('C:/right'), '2 C:/right', 'and what it has now stays')
})
