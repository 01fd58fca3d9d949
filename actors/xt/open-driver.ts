import type { MessagePort } from 'node:worker_threads'
import type { Driver } from '../../src/ports/driver.port.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { DriverEvent } from '../../src/protocol/driver.ts'
import type { XtCommand } from '../../src/protocol/xt.ts'
import { postBytes } from '../../src/runtime/posting.ts'

/**
 * The driver of an account thread at the real trading client. It only passes on: socket, sidecar and
 * connection are in the xt thread, because this one may be killed at any instruction.
 */
export function createXtDriver(port: MessagePort, epoch: number): Driver {
  const send = (command: XtCommand) => postBytes(port, encode(command))
  let isClosed = false
  return {
    open: (sink) => {
      port.on('message', (bytes: Uint8Array) => {
        if (!isClosed) sink(decode<DriverEvent>(bytes))
      })
      send({ kind: 'open', epoch })
    },
    send: (command) => {
      if (!isClosed) send({ kind: 'command', command })
    },
    close: () => {
      isClosed = true
      port.close()
    },
  }
}
