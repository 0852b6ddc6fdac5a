"""HeyGen: finished videos, of its agent from a prompt, or of an avatar that speaks a script."""

from service.integrations.vendors.heygen.videos import ENDPOINTS as VIDEOS

ENDPOINTS = VIDEOS
