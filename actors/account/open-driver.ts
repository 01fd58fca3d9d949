import type { MessagePort } from 'node:worker_threads'
import { PaperDriver, type PaperEvent } from '../../src/drivers/paper/client.ts'
import type { PaperFaults } from '../../src/drivers/paper/faults.ts'
import type { Driver } from '../../src/ports/driver.port.ts'
import { decode, encode } from '../../src/protocol/codec.ts'
import type { DriverEvent, HostCommand } from '../../src/protocol/driver.ts'
import { type ActorBoard, PAPER_SLOT } from '../../src/runtime/actor-board.ts'
import { Channel } from '../../src/runtime/channel.ts'
import { postBytes } from '../../src/runtime/posting.ts'
import { steadyMs } from '../../src/runtime/steady.ts'

export interface DriverLine {
  /** This account's end of the line to the host of its driver. */
  readonly port: MessagePort
  /** Of the owner of the account. */
  readonly epoch: number
}

interface RealLine extends DriverLine {
  /** After which the account takes an order for one in doubt: it must not be sent then. */
  readonly submitWithinMs: number
}

export interface PaperLine extends DriverLine {
  readonly board: ActorBoard
  /** Slot of this account on the actor board. */
  readonly slot: number
  readonly faults?: PaperFaults
}

/** The driver at the embedded broker, on the channel that counts its messages for the exact replay. */
export function openPaperDriver({ port, board, slot, epoch, faults }: PaperLine): Driver {
  return new PaperDriver({
    epoch,
    line: (receive) =>
      new Channel<HostCommand, PaperEvent>(port, {
        board,
        self: slot,
        peer: PAPER_SLOT,
        receive,
        isBatched: true,
      }),
    ...(faults && { faults }),
  })
}

/**
 * The driver at a real broker, whichever it is. It only passes on: sockets, processes and the connection
 * are in the thread of the host, because this one may be killed at any instruction.
 */
export function openRealDriver({ port, epoch, submitWithinMs }: RealLine): Driver {
  const send = (command: HostCommand) => postBytes(port, encode(command))
  let isClosed = false
  return {
    open: (sink) => {
      port.on('message', (bytes: Uint8Array) => {
        if (!isClosed) sink(decode<DriverEvent>(bytes))
      })
      send({ kind: 'open', epoch })
    },
    send: (command, untilMs = Number.POSITIVE_INFINITY) => {
      if (isClosed) return
      if (command.kind !== 'submit') return send({ kind: 'command', command })
      send({ kind: 'command', command, untilMs: Math.min(untilMs, steadyMs() + submitWithinMs) })
    },
    close: () => {
      isClosed = true
      port.close()
    },
  }
}
