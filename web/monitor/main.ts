import { mountPage } from '../shared/page.ts'
import MonitorApp from './monitor-app.vue'
import { router } from './router.ts'
import '../shared/style.css'
import './monitor.css'

mountPage(MonitorApp, router)
