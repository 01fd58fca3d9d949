// What every thread of the service starts with.
import { workerData } from 'node:worker_threads'
import { keepStripped } from '../scripts/stripped.mjs'

keepStripped()
await import(workerData.entry)
