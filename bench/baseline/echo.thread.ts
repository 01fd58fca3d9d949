import { parentPort } from 'node:worker_threads'

/** Sends back every message, bytes as they came. */
parentPort?.on('message', (message: Uint8Array) => parentPort?.postMessage(message))
