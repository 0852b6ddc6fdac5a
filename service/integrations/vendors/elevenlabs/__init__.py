"""ElevenLabs: speech from text, and text from speech."""

from service.integrations.vendors.elevenlabs.speaking import ENDPOINTS as SPEAKING
from service.integrations.vendors.elevenlabs.transcribing import ENDPOINTS as TRANSCRIBING

ENDPOINTS = (*SPEAKING, *TRANSCRIBING)
