"""YouTube: search, details and charts of videos.

Source: developers.google.com/youtube/v3/docs. A project has 100 searches and 10,000 other units a
day; both quotas start again at midnight in California.
"""

from service.integrations.vendors.youtube.videos import ENDPOINTS as VIDEOS

ENDPOINTS = VIDEOS
