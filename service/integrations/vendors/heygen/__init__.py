"""HeyGen: videos that its agent makes from a prompt, or of an avatar that speaks a script."""

from service.integrations.vendors.heygen.videos import ENDPOINTS as VIDEOS

ENDPOINTS = VIDEOS
